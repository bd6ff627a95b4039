"""The tactics wing: physics-based planning with skills and tactics over MuJoCo (after Zickler 2010).

>>> from swerve.tactics import load_domain, solve
>>> plan = solve(load_domain("navigation"), "rrt", seed=1)
>>> plan.solved, 1 < plan.duration < 20
(True, True)
"""

from .bodies import Body, Role, World
from .chance import Chance
from .domains import DOMAINS, load_domain
from .engine import Engine
from .kinodynamic import PlanOptions
from .law import Asked, Law, law, views
from .materials import Material
from .mechanism import Mechanism
from .occupancy import OccupancyMap
from .plan import SolveOptions, TacticsPlan, replay
from .problem import Exploring, Problem
from .runner import Runner, TacticForces
from .scene import Action, Scene
from .search import Search, solve
from .skill import Skill
from .space import Space
from .tactic import Tactic, unconstrained
from .troupe import PlanForces, Troupe

__all__ = [
    "DOMAINS",
    "Action",
    "Asked",
    "Body",
    "Chance",
    "Engine",
    "Exploring",
    "Law",
    "Material",
    "Mechanism",
    "OccupancyMap",
    "PlanForces",
    "PlanOptions",
    "Problem",
    "Role",
    "Runner",
    "Scene",
    "Search",
    "Skill",
    "SolveOptions",
    "Space",
    "Tactic",
    "TacticForces",
    "TacticsPlan",
    "Troupe",
    "World",
    "law",
    "load_domain",
    "replay",
    "solve",
    "unconstrained",
    "views",
]
