"""Options that are one of a few words. They are Enums, so that `--help` lists the words and shells complete
them; `tests/cli/test_choices.py` holds them against the wings' own lists, which would be slow to import here.
"""

from enum import StrEnum


class Backend(StrEnum):
    NUMBA = "numba"
    JAX = "jax"


class Goal(StrEnum):
    FINISH = "finish"
    PROGRESS = "progress"
    FAR = "far"


class Heuristic(StrEnum):
    IMPROVED = "improved"
    SIMPLE = "simple"


class Execution(StrEnum):
    PLAYBACK = "playback"
    PHYSICS = "physics"


class RacePlanner(StrEnum):
    AUTO = "auto"
    LINE = "line"
    TREE = "tree"


class RivalKind(StrEnum):
    STEADY = "steady"
    REACTING = "reacting"
    SURPRISING = "surprising"


class TreeKind(StrEnum):
    FIVE = "five"
    SEVEN = "seven"
    LARGE = "large"
    BENDS = "bends"
    GRAPH = "graph"
    TAKES = "takes"


class Planner(StrEnum):
    RRT = "rrt"
    BGT = "bgt"
    HYBRID = "hybrid"
    UNIFORM = "uniform"


class TacticKind(StrEnum):
    DEFAULT = "default"
    UNCONSTRAINED = "unconstrained"
    DETERMINISTIC = "deterministic"


class Measure(StrEnum):
    DURATION = "duration"
    CURVATURE = "curvature"
    CONTACTS = "contacts"


class RealityKind(StrEnum):
    PYMUNK = "pymunk"
    MUJOCO = "mujoco"


class Driven(StrEnum):
    STATE = "state"
    ACTION = "action"


class Fidelity(StrEnum):
    FULL = "full"
    PLANAR = "planar"
    BOTH = "both"


class Attacker(StrEnum):
    DRIBBLE = "dribble"
    REACTIVE = "reactive"


class Opponent(StrEnum):
    REACTIVE = "reactive"
    CHASE = "chase"
    GUARD = "guard"
    DRIBBLE = "dribble"


class FitMethod(StrEnum):
    NELDER_MEAD = "nelder-mead"
    CMA_ES = "cma-es"
    BOTH = "both"


class FitFidelity(StrEnum):
    FULL = "full"
    PLANAR = "planar"


class Pictures(StrEnum):
    NONE = "none"
    ONE = "one"
    ALL = "all"


class Voids(StrEnum):
    FILL = "fill"
    FORBID = "forbid"


class Method(StrEnum):
    QUASI_NEWTON = "quasi-newton"
    PATTERN = "pattern"


class Controller(StrEnum):
    LOD = "lod"
    SIMPLE = "simple"


class Rule(StrEnum):
    OURS = "ours"
    SEED = "seed"


class Pace(StrEnum):
    GENERATOR = "generator"
    CLOCK = "clock"
    NONE = "none"


class ShownAs(StrEnum):
    HTML = "html"
    PNG = "png"
    SVG = "svg"
    MP4 = "mp4"
    GIF = "gif"


class SeenFrom(StrEnum):
    BEHIND = "behind"
    SIDE = "side"
    ABOVE = "above"


class ExportedAs(StrEnum):
    GLTF = "gltf"
    GLB = "glb"
    USD = "usd"
    CSV = "csv"
    FCD = "fcd"
    HTML = "html"
    PNG = "png"
    SVG = "svg"
    WEBM = "webm"
    MP4 = "mp4"


class Layout(StrEnum):
    GAMEPAD = "gamepad"
    WHEEL = "wheel"


class FieldName(StrEnum):
    DIVISION_B = "division-b"
    SEED = "seed"


class Drifting(StrEnum):
    BOTH = "both"
    LAMPS = "lamps"
    PAINTS = "paints"


class Listened(StrEnum):
    BLUE = "blue"
    YELLOW = "yellow"
    BOTH = "both"


class Colour(StrEnum):
    BLUE = "blue"
    YELLOW = "yellow"
