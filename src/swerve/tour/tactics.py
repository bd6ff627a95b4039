"""The tactics wing's stop: a putt past a turning bar, an attack past three opponents, a trick shot."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from swerve.core.provenance import provenance
from swerve.core.show.player import write_player
from swerve.tactics import SolveOptions, TacticsPlan, load_domain, replay, solve
from swerve.tactics.picture import draw_tree
from swerve.tactics.record import record

from . import Figure, Stop

NAMES = ("navigation", "minigolf", "soccer", "pool")
SEEDS_OF = {  # seconds, nodes and success of the seed's better planner, table 6.1
    "navigation": "0.18 s, 1086 nodes",
    "minigolf": "0.33 s, 3484 nodes",
    "soccer": "0.55 s, 1723 nodes",
    "pool": "0.21 s, 1284 nodes",
}


def visit(out: Path, seed: int) -> Stop:
    folder = Path("tactics")
    plans = {name: _solved(name, seed) for name in NAMES}
    for name, plan in plans.items():
        draw_tree(plan, out / folder / f"{name}.png")
        if plan.solved:
            write_player(record(plan, provenance(name, seed)), out / folder / f"{name}.html", title=name)
    same = sum(np.array_equal(replay(plan)[0], plan.rows) for plan in plans.values() if plan.solved)
    captions = {
        "navigation": "All ways the robot tried, and the one that reaches the goal.",
        "minigolf": "Putts off the turning bar and the walls, and the one that drops.",
        "soccer": "Ball, attacker and three opponents in every branch.",
        "pool": "The cue ball sends yellow into blue, and blue into the corner.",
    }
    return Stop(
        wing="tactics",
        title="Plans through real physics",
        text="A tactic says which skills a body has and what may follow what; the planner grows a tree of "
        "simulated futures from it, hundreds of branches at once, in a rigid-body engine whose bounces, "
        "friction and rolling are what the numbers ask for. Nobody computed the putt: a branch in "
        "which the robot waited long enough and hit the ball just so ended in the hole.",
        command="swerve plan minigolf",
        pictures=[
            (folder / f"{name}.png", captions[name]) for name in ("minigolf", "soccer", "pool", "navigation")
        ],
        players=[
            (folder / f"{name}.html", captions[name])
            for name in ("minigolf", "soccer", "pool")
            if plans[name].solved
        ],
        figures=[
            *(
                Figure(
                    f"{name}: planning",
                    f"{plan.stats['seconds']:.2f} s, {plan.stats['nodes']} nodes"
                    if plan.solved
                    else "not solved",
                    SEEDS_OF[name],
                    f"swerve plan {name} --seed {seed}",
                )
                for name, plan in plans.items()
            ),
            Figure(
                "Solutions that replay in a fresh engine, bit for bit",
                f"{same} of {sum(plan.solved for plan in plans.values())}",
                "small differences were accepted",
                "swerve plan soccer --json",
            ),
            Figure(
                "Expansions per second in soccer, one thread",
                f"{plans['soccer'].stats['iterations'] / plans['soccer'].stats['seconds']:.0f}",
                "about 4,200",
                "swerve bench tactics",
            ),
        ],
    )


def _solved(name: str, seed: int) -> TacticsPlan:
    solve(load_domain(name, seed), options=SolveOptions(iterations=300), seed=seed)  # loads the kernels
    return solve(load_domain(name, seed), seed=seed)
