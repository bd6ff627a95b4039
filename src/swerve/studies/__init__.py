"""Every table and figure of the original works as a runnable experiment.

A study is a function `run(out, seed, trials) -> Report`, with more options where its entry names them.
`STUDIES` says where each is, without importing it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from swerve.core.errors import BadInput

from .report import Conclusion, Report

__all__ = ["STUDIES", "Conclusion", "Report", "StudyEntry", "study"]


@dataclass(frozen=True)
class StudyEntry:
    """Where a study is and what it shows, in a line; `options` are what its function takes besides. What is
    worked out `once` has no trials."""

    module: str
    function: str
    summary: str
    options: tuple[str, ...] = ()
    once: bool = False


_SEARCH = ("lanes", "planner")


STUDIES: dict[str, StudyEntry] = {
    "adam-4.1": StudyEntry(
        "adam_small", "table_1", "race: look-ahead and survival on the long straight with cars"
    ),
    "adam-4.2": StudyEntry(
        "adam_small", "table_2", "race: five and seven branches alone on the cornered track"
    ),
    "adam-4.3": StudyEntry(
        "adam_small", "table_3", "race: five and seven branches on the cornered track with cars"
    ),
    "adam-4.4": StudyEntry(
        "adam_large", "table_4", "race: the large tree for two minutes on the long straight"
    ),
    "adam-4.5": StudyEntry(
        "adam_large", "table_5", "race: the large tree on the cornered track, and how smooth it is"
    ),
    "adam-4.6": StudyEntry("adam_large", "table_6", "race: the large tree on the cornered track with cars"),
    "adam-4.7": StudyEntry("adam_large", "table_7", "race: skids on the sharp-cornered track, against none"),
    "adam-4.8": StudyEntry(
        "adam_large", "table_8", "race: the final track: short and long looks ahead, more cars"
    ),
    "adam-human": StudyEntry(
        "adam_human", "run", "race: a person's drive (--take RECORDING) against the planner", once=True
    ),
    "brogan-table1": StudyEntry(
        "brogan", "table_1", "riders: which freedoms a mobility map leaves out, and why"
    ),
    "brogan-table2": StudyEntry("brogan", "table_2", "riders: weights tuned by simulated annealing"),
    "brogan-fig6": StudyEntry("brogan_rides", "figure_6", "riders: the human on seven curves"),
    "brogan-fig7": StudyEntry("brogan_rides", "figure_7", "riders: the alien on seven curves"),
    "brogan-fig9": StudyEntry("brogan_rides", "figure_9", "riders: sixteen humans form a herd"),
    "brogan-fig10": StudyEntry("brogan_rides", "figure_10", "riders: sixteen aliens form a herd"),
    "dynobench": StudyEntry("dynobench", "run", "tactics: unicycles of a public benchmark, against iDb-A*"),
    "hynes": StudyEntry("hynes", "additions", "city: lights, left turns and sirens, before and after"),
    "riders-crossings": StudyEntry("rider_bars", "crossings", "riders: crossing ways, with eyes and without"),
    "riders-detail": StudyEntry("rider_bars", "detail", "riders: between map and physics, and 2 s foretold"),
    "riders-hairpins": StudyEntry("rider_bars", "hairpins", "riders: random hairpins, ridden or refused"),
    "riders-obstacles": StudyEntry("rider_bars", "obstacles", "riders: streets with discs in the way"),
    "riders-squares": StudyEntry("rider_bars", "squares", "riders: sixteen from a square become a herd"),
    "riders-streets": StudyEntry("rider_bars", "streets", "riders: sixteen along winding streets"),
    "rimea": StudyEntry("rimea", "run", "city: four acceptance tests for people on foot", once=True),
    "roads": StudyEntry("roads", "run", "city: every OpenDRIVE file of a folder (--folder), driven"),
    "shiller-A": StudyEntry(
        "shiller", "shortest", "terrain: the shortest path over a mountain cannot be driven", once=True
    ),
    "shiller-B": StudyEntry(
        "shiller", "fastest", "terrain: distinct fastest paths round a mountain", once=True
    ),
    "shiller-C": StudyEntry(
        "shiller", "obstacles", "terrain: the same with obstacles across those paths", once=True
    ),
    "soccer-attacks": StudyEntry("soccer", "attacks", "soccer: attackers with and without foresight"),
    "soccer-eyes": StudyEntry("soccer_eyes", "eyes", "soccer: goals by cameras alone and by the true state"),
    "soccer-eyes-matches": StudyEntry("soccer_eyes", "matches", "soccer: whole matches by cameras alone"),
    "soccer-matches": StudyEntry("soccer", "matches", "soccer: ten matches each against two teams"),
    "tactics-bars": StudyEntry("tactics_bars", "run", "tactics: what the games promise, over many seeds"),
    "tactics-fidelities": StudyEntry(
        "tactics_fidelities", "run", "tactics: the same games on the engine, the planar model and both"
    ),
    "zickler-6.1": StudyEntry(
        "zickler", "table_6_1", "tactics: BK-RRT against BK-BGT in four domains", _SEARCH
    ),
    "zickler-6.2": StudyEntry("zickler", "table_6_2", "tactics: what the rollback function saves", _SEARCH),
    "zickler-6.3": StudyEntry("zickler", "table_6_3", "tactics: without order between their skills", _SEARCH),
    "zickler-6.4": StudyEntry("zickler", "table_6_4", "tactics: planning against a reactive tactic", _SEARCH),
    "zickler-6.11": StudyEntry(
        "zickler_figures", "figure_6_11", "tactics: where BK-RRT spends its time", once=True
    ),
    "zickler-6.12": StudyEntry(
        "zickler_figures", "figure_6_12", "tactics: selection time of both planners", once=True
    ),
    "zickler-6.13": StudyEntry(
        "zickler_figures", "figure_6_13", "tactics: success over μ and over the hybrid's p"
    ),
    "zickler-7.1": StudyEntry(
        "zickler_soccer", "table_7_1", "tactics: one against one, planned and reactive"
    ),
    "zickler-7.2": StudyEntry("zickler_soccer", "table_7_2", "tactics: trees and plans of a frame"),
    "zickler-7.3": StudyEntry("zickler_loop", "table_7_3", "tactics: putts past a turning bar, carried out"),
    "zickler-7.10": StudyEntry("zickler_loop", "figure_7_10", "tactics: the same with a noisy rate"),
    "zickler-8.1": StudyEntry("zickler_loop", "table_8_1", "tactics: materials fitted to episodes"),
    "zickler-8.2": StudyEntry("zickler_loop", "table_8_2", "tactics: putts before and after fitting"),
    "zickler-9.6": StudyEntry("zickler_detail", "figure_9_6", "tactics: uncertainty and replanning"),
    "zickler-9.7": StudyEntry("zickler_detail", "figure_9_7", "tactics: variable level of detail"),
}


def study(name: str) -> Callable[..., Report]:
    """The study of that name."""
    if name not in STUDIES:
        raise BadInput("study", name, f"must be one of {', '.join(STUDIES) or 'none yet'}")
    entry = STUDIES[name]
    found: Callable[..., Report] = getattr(import_module(f"swerve.studies.{entry.module}"), entry.function)
    return found
