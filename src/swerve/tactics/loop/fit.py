"""Fitting a model's numbers to what really happened (Zickler 2010, chapter 8).

Of the original's eight numbers for minigolf, four have a counterpart here that the episodes determine. The
ball's restitution stands for the pair of ball and wood, whose mean alone is felt; the wood's friction
likewise; then there are the carpet's friction and the ball's linear damping. Rolling resistance, which the
original left to its angular damping, is a number of the carpet here. The carpet's restitution moves nothing
that rolls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from swerve.core.errors import BadInput, require
from swerve.core.files import existing
from swerve.core.show.figures import INK, PALETTE, figure
from swerve.core.sweep import remember
from swerve.core.untrusted import parse_json
from swerve.core.values import fingerprint

from ..bodies import World
from ..flat import strange
from ..materials import Material
from ..planar import Planar
from .cma import cma
from .episodes import Episode, simulated
from .errors import total_error
from .reality import fault_of, material_value, with_materials
from .safest import Scatter

MINIGOLF = {
    "ball.restitution": (0.4, 0.98),
    "walls.friction": (0.0, 1.2),
    "walls.upright": (0.0, 1.0),
    "floor.friction": (0.1, 2.0),
    "floor.rolling": (1e-4, 4e-3),
    "ball.damping": (1e-5, 5e-2),
}
GUESSED = {  # before fitting: the original's first guesses (table 8.1), by the pairs that are felt here
    "ball.restitution": 0.64,  # of ball and wood, 0.78 and 0.5
    "ball.friction": 0.0,  # the mean of two is felt: half of what it touches
    "walls.friction": 0.6,  # twice the mean of 0.3 and 0.3
    "walls.upright": 1.0,
    "floor.friction": 1.1,  # 0.3 and 0.8
    "floor.rolling": 0.001,
    "ball.damping": 0.0046,  # [N·s/m] 0.1 a second
    "robot.restitution": 0.6,  # with less, a putt at the robot's most falls short of these holes in the model
}
EVALUATIONS = 600
AT_REST = {"xatol": 2e-3, "fatol": 1e-5}  # sizes of a simplex, as shares of the bounds and as errors
FELT = 1e-4  # of the error, that a number with an influence changes
IMPOSSIBLE = 1e6  # error of numbers that no material has together
ENDS = 1e-3  # share of a range that is an end of it
LEAST = 1e-6  # error that a picture shows
METHODS = ("nelder-mead", "cma-es")
MATERIAL_FIELDS = tuple(field.name for field in fields(Material))


@dataclass
class Fit:
    """Before and after, and the way between them, which begins at an end of the range where the world's own
    number lies outside: `course` holds the best error so far and the numbers that gave it, one row an
    evaluation that was better."""

    names: tuple[str, ...]
    before: dict[str, float | None]  # None where the material does not say, and takes the other's
    after: dict[str, float]
    error_before: float
    error_after: float
    evaluations: int
    course: list[dict[str, float]] = field(default_factory=list)
    unfelt: tuple[str, ...] = ()  # that changed nothing, or only the rounding, where fitting began
    at_ends: tuple[str, ...] = ()  # that were fitted to an end of their range


def fit(
    world: World,
    episodes: Sequence[Episode],
    bounds: Mapping[str, tuple[float, float]],
    method: str = "nelder-mead",
    evaluations: int = EVALUATIONS,
    seed: int = 0,
    threads: int = 1,
    progress: Callable[[float], None] | None = None,
    fidelity: str | None = None,
) -> Fit:
    """Numbers within `bounds`, named as `ball.restitution`, with which the world repeats the episodes best.

    `cma-es` evaluates a generation side by side on `threads`; `nelder-mead` steps its episodes on them, and
    begins anew from the best, with another simplex, whenever it has come to rest. Fitting begins with the
    world's own numbers, in the middle of the range where it does not say one. `fidelity` is what the
    episodes are repeated on, "full" or "planar"; by default the planar model for worlds that it knows.
    """
    require(method in METHODS, "method", method, f"must be one of {', '.join(METHODS)}")
    require(bool(episodes), "episodes", 0, "must be at least one")
    fidelity = fidelity or ("planar" if Planar.fits(world) else "full")
    unknown = strange(world) if fidelity == "planar" else ""
    require(not unknown, "fidelity", fidelity, f"does not know all of this world: {unknown}")
    names = tuple(bounds)
    low, high = np.array([bounds[name] for name in names], dtype=float).T
    ranges = bool((low < high).all() and np.isfinite([low, high]).all())
    require(ranges, "bounds", None, "must each be a range, low:high")
    before = {name: number_of(world, name) for name in names}
    course: list[dict[str, float]] = []
    count = 0

    held = {body.name: body.material for body in world.bodies}
    about = (fingerprint(world.mjcf, held, list(episodes), low, high), fidelity, *names)

    def error_of(changed: World, inner: int) -> float:
        error = float(total_error(episodes, simulated(changed, episodes, inner, fidelity)))
        return error if np.isfinite(error) else IMPOSSIBLE

    def error_at(share: np.ndarray, inner: int = 1) -> float:
        def tried(share: np.ndarray) -> float:
            values = low + np.clip(share, 0.0, 1.0) * (high - low)
            try:
                changed = with_materials(world, dict(zip(names, values.tolist(), strict=True)))
            except BadInput:  # each may be, but not with the others
                return IMPOSSIBLE
            outside = float(np.sum(np.maximum(-share, 0) + np.maximum(share - 1, 0)))
            return error_of(changed, inner) + outside

        return remember(tried, share, about=about)

    def note(share: np.ndarray, error: float) -> None:
        nonlocal count
        count += 1
        if progress is not None:
            progress(min(count / evaluations, 1.0))
        best = course[-1]["error"] if course else np.inf
        if error < best:
            values = low + np.clip(share, 0.0, 1.0) * (high - low)
            course.append(
                {"evaluation": count, "error": error, **dict(zip(names, values.tolist(), strict=True))}
            )

    def one(share: np.ndarray) -> float:
        error = error_at(share, threads)
        note(share, error)
        return error

    begin = [
        0.5 * (a + b) if value is None else value
        for value, a, b in zip(before.values(), low, high, strict=True)
    ]
    first = np.clip((np.array(begin) - low) / (high - low), 1e-9, 1.0)
    here = one(first)
    require(here < IMPOSSIBLE, "parameters", ", ".join(names), "cannot be repeated where they begin")
    as_it_is = all(
        value is not None and a <= value <= b for value, a, b in zip(before.values(), low, high, strict=True)
    )
    others = [error_at(first + _aside(first, k, 1.0), threads) for k in range(len(names))]
    felt = [abs(other - here) > FELT * here for other in others]
    require(any(felt), "parameters", ", ".join(names), "change nothing in these episodes")
    if method == "nelder-mead":
        begin, side = first, 1.0
        while count < evaluations:
            simplex = np.vstack([begin, *(begin + _aside(begin, k, side) for k in range(len(begin)))])
            limits = {"maxfev": evaluations - count, "initial_simplex": simplex, **AT_REST}
            minimize(one, begin, method="Nelder-Mead", options=limits)
            found = np.array([course[-1][name] for name in names])
            begin, side = np.clip((found - low) / (high - low), 0.0, 1.0), -side
    else:
        with ThreadPoolExecutor(threads) as pool:

            def generation(shares: np.ndarray) -> np.ndarray:
                errors = list(pool.map(error_at, shares))
                for share, error in zip(shares, errors, strict=True):
                    note(share, error)
                return np.array(errors)

            cma(generation, first, 0.2, evaluations - count, np.random.default_rng([seed, 8]))
    best = course[-1]
    ends = [min(best[n] - a, b - best[n]) <= ENDS * (b - a) for n, a, b in zip(names, low, high, strict=True)]
    return Fit(
        names,
        before,
        {name: best[name] for name in names},
        course[0]["error"] if as_it_is else error_of(world, threads),
        best["error"],
        count,
        course,
        tuple(name for name, counts in zip(names, felt, strict=True) if not counts),
        tuple(name for name, end in zip(names, ends, strict=True) if end),
    )


def parse_bounds(words: Sequence[str]) -> dict[str, tuple[float, float]]:
    """`ball.restitution:0.3:0.9` as a name with its range.

    >>> parse_bounds(["ball.restitution:0.3:0.9"])
    {'ball.restitution': (0.3, 0.9)}
    """
    found = {}
    for word in words:
        name, *numbers = word.split(":")
        try:
            low, high = (float(number) for number in numbers)
        except ValueError:
            raise BadInput("--parameter", word, "must be BODY.FIELD:LOW:HIGH") from None
        require(-np.inf < low < high < np.inf, "--parameter", word, "must be a range, LOW less than HIGH")
        field = name.rpartition(".")[2]
        for bound in (low, high) if field in MATERIAL_FIELDS else ():
            fault = fault_of(field, bound)
            require(not fault, "--parameter", word, f"{field} {fault}")
        require(name not in found, "--parameter", word, "is there twice")
        found[name] = (low, high)
    return found


def read_parameters(path: str | Path) -> dict[str, float]:
    """Numbers by name, from a file of `swerve fit` or a plain mapping in JSON."""
    file = existing(path, "parameters")
    try:
        held = parse_json(file.read_text(encoding="utf-8"))
        found = {str(name): _number(value) for name, value in held.get("parameters_after", held).items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise BadInput(f"parameters {path}", None, f"is not a mapping of numbers ({error})") from error
    require(bool(found), f"parameters {path}", None, "holds no numbers")
    for name in found:
        require("." in name, f"parameters {path}", name, "must be named BODY.FIELD")
    return found


def read_scatter(path: str | Path) -> Scatter | None:
    """How strikes scatter, from a file of `swerve fit minigolf`; None where it does not say."""
    found = parse_json(existing(path, "parameters").read_text(encoding="utf-8")).get("scatter")
    if found is None:
        return None
    try:
        scatter = Scatter(**{name: _number(value) for name, value in found.items()})
    except (TypeError, AttributeError) as error:
        raise BadInput(
            f"parameters {path}", None, f"has another scatter than fitting gives ({error})"
        ) from error
    for name, value in vars(scatter).items():
        require(0 <= value < np.inf, f"parameters {path}, scatter", value, f"{name} must be zero or more")
    return scatter


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is none")
    return float(value)


def number_of(world: World, name: str) -> float | None:
    """A number of a body's material, or what it counts as where the material does not say; None where that
    depends on what it touches."""
    value, (body, _, field) = material_value(world, name), name.rpartition(".")
    if value is None and field == "mass":
        return world.slot(body).mass
    if value is None and field == "upright":
        return 1.0
    return world.by_name[body].material.friction if value is None and field == "static_friction" else value


def _aside(first: np.ndarray, k: int, side: float) -> np.ndarray:
    """A step of a first simplex along one axis, inwards near an end, else to a side."""
    step = np.zeros(len(first))
    step[k] = 0.15 * (1.0 if first[k] < 0.2 else -1.0 if first[k] > 0.8 else side)
    return step


def draw_course(found: Fit | Mapping[str, Fit], path: str | Path) -> Path:
    """The error, and every number as a share of its first value, over the evaluations; of several fits side
    by side, by name."""
    fits = {"what fitting did": found} if isinstance(found, Fit) else dict(found)
    size = (4.2 + 4.2 * len(fits), 6.0)
    with figure(path, size, rows=2, columns=len(fits), sharex="col", sharey="row", squeeze=False) as axes:
        for (title, fit), upper, lower in zip(fits.items(), *axes, strict=True):
            at = [step["evaluation"] for step in fit.course] + [fit.evaluations]
            errors = np.maximum([step["error"] for step in fit.course], LEAST)
            upper.plot(at, [*errors, errors[-1]], color=INK, drawstyle="steps-post")
            upper.set_yscale("log", subs=[2, 5])
            for form in (upper.yaxis.set_major_formatter, upper.yaxis.set_minor_formatter):
                form("{x:g}")
            upper.set_title(f"{title}: {fit.error_before:.3g} to {fit.error_after:.3g}")
            for k, name in enumerate(fit.names):
                values = np.array([step[name] for step in fit.course])
                share = values / values[0] if values[0] > 1e-4 else values / max(values.max(), 1e-12)
                color = PALETTE[k % len(PALETTE)]
                lower.plot(at, [*share, share[-1]], color=color, label=name, drawstyle="steps-post")
            lower.set_xlabel("evaluations")
        axes[0, 0].set_ylabel("error")
        axes[1, 0].set_ylabel("over its first value")
        axes[1, 0].figure.legend(*axes[1, 0].get_legend_handles_labels(), loc="outside lower center", ncol=3)
    return Path(path)
