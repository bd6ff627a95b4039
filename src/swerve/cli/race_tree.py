"""`swerve race tree`: build, inspect and draw move trees and motion graphs."""

from pathlib import Path
from typing import Annotated, Any

import typer

from .choices import TreeKind
from .names import tree_names
from .options import Json, Quiet, Seed, answer, refuse_unless, say, writable

app = typer.Typer(
    name="tree",
    help="Build, inspect and draw what the car can do next: move trees and motion graphs.",
    epilog="Try: swerve race tree inspect large — then: swerve race tree draw large --out large.png",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Tree = Annotated[
    str,
    typer.Argument(
        metavar="NAME|FILE",
        help="five, seven, large, bends, or a file by build.",
        autocompletion=tree_names,
    ),
]


@app.command(epilog="Example: swerve race tree build graph --epsilon 0.3 --out mine.npz")
def build(
    context: typer.Context,
    name: Annotated[
        TreeKind,
        typer.Argument(
            metavar="NAME",
            help="five, seven, large, bends, graph (from an afternoon's practice) or takes (from your own).",
        ),
    ],
    seed: Seed = 0,
    epsilon: Annotated[
        float, typer.Option("--epsilon", help="Graph, takes: how well frames must fit, |Δu|+|Δv|+|Δω|.")
    ] = 0.4,
    k_c: Annotated[
        int, typer.Option("--k-c", help="Graph only: a frame is not compared with so many frames after it.")
    ] = 12,
    k_s: Annotated[
        int, typer.Option("--k-s", help="Graph only: after a frame that fits, so many are skipped.")
    ] = 8,
    takes: Annotated[
        list[Path] | None,
        typer.Option("--take", help="Graph, takes: a recording of somebody's driving; may be given again."),
    ] = None,
    speeds: Annotated[
        list[float] | None,
        typer.Option(
            "--speed", help="Takes only: m/s of straight driving at which clips meet; again for more."
        ),
    ] = None,
    car: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Large and bends: seed, heavy, ice, or a YAML file of constants."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="File to write; NAME.npz by default.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a tree anew and write it to a file that `swerve race --tree FILE` can use.

    `large` is found by shooting, which takes a few minutes; `bends` adds steady turns to it; `graph` is cut
    from recorded drives where they fit together, `takes` where they drive straight at one of the speeds.
    """
    from swerve.core.errors import BadInput
    from swerve.core.progress import be_quiet
    from swerve.race.cars import load_car
    from swerve.race.similar import Settings
    from swerve.race.trees import build_tree

    if takes and name not in (TreeKind.GRAPH, TreeKind.TAKES):
        raise BadInput(
            "--take", str(takes[0]), f"is for graph and takes; {name.value} is made without recordings"
        )
    if name is TreeKind.TAKES and not (takes and speeds):
        raise BadInput(
            "takes", None, "is made from recordings: give --take FILE and --speed M/S, each once or more"
        )
    if speeds and name is not TreeKind.TAKES:
        raise BadInput("--speed", speeds[0], f"is for takes; {name.value} has speeds of its own")
    if car and name not in (TreeKind.LARGE, TreeKind.BENDS):
        raise BadInput("--car", car, f"is for large and bends; {name.value} is not made for other cars")
    cut = name in (TreeKind.GRAPH, TreeKind.TAKES)
    refuse_unless(cut, context, "epsilon", f"is for graph and takes, not for {name.value}")
    for option in ("k_c", "k_s"):
        refuse_unless(name is TreeKind.GRAPH, context, option, f"is for graph, not for {name.value}")
    be_quiet(quiet or as_json)
    path = out or Path(f"{name}.npz")
    if path.suffix != ".npz":
        raise BadInput("--out", str(path), "must end in .npz")
    writable(path.parent)
    if name is TreeKind.GRAPH:
        tree, report = _graph(takes or [], seed, Settings(epsilon=epsilon, k_c=k_c, k_s=k_s))
    elif name is TreeKind.TAKES:
        tree, report = _of_takes(takes or [], speeds or [], epsilon), {}
    else:
        tree, report = build_tree(name.value, seed, load_car(car) if car else None), {}
    tree.save(path)
    answer({**_summary(tree), "file": str(path), "seed": seed, **report}, as_json, quiet)
    if report and not (as_json or quiet):
        for part in ("counts", "cut"):
            for key, value in report["report"][part].items():
                say(f"{'cut: ' if part == 'cut' else ''}{key}: {value:,}")


@app.command(epilog="Example: swerve race tree inspect large")
def inspect(tree: Tree, as_json: Json = False) -> None:
    """Say what is in a tree: nodes, clips, speeds, seams, skids and how far a clip leads."""
    from swerve.race.trees import load_tree

    library = load_tree(tree)
    result = _summary(library) | {"by_node": _by_node(library)}
    answer(result, as_json, False, library.name)
    if not as_json and len(library.node_names) <= 12:
        _print_nodes(result["by_node"])


@app.command(epilog="Example: swerve race tree draw large --out large.png")
def draw(
    tree: Tree,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Picture to write (.png, .svg or .pdf); tree-NAME.png by default."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Draw all clips of a tree, fanned out from each node, with the skids in red."""
    from swerve.core.errors import BadInput
    from swerve.race.draw_tree import draw_tree
    from swerve.race.trees import load_tree

    library = load_tree(tree)
    path = out or Path(f"tree-{Path(tree).stem}.png")
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise BadInput("--out", str(path), "must end in .png, .svg or .pdf")
    writable(path.parent)
    draw_tree(library, path)
    answer({"tree": library.name, "picture": str(path)}, as_json, False)


def _graph(files: list[Path], seed: int, settings: Any) -> tuple[Any, dict[str, Any]]:
    from swerve.core.recording import Recording
    from swerve.race.drivers import practice
    from swerve.race.graph import build_graph
    from swerve.race.takes import Take

    takes = [Take.from_recording(Recording.read(file)) for file in files] or practice(seed)
    tree, report = build_graph(takes, settings)
    return tree, {"report": report.as_dict()}


def _of_takes(files: list[Path], speeds: list[float], tolerance: float) -> Any:
    from swerve.core.recording import Recording
    from swerve.race.takes import Take, tree_of_takes

    takes = [Take.from_recording(Recording.read(file)) for file in files]
    return tree_of_takes(takes, {f"{speed:g} m/s": speed for speed in speeds}, tolerance)


def _summary(tree: Any) -> dict[str, Any]:
    from swerve.race.tree_statistics import statistics

    return statistics(tree)


def _by_node(tree: Any) -> list[dict[str, Any]]:
    from swerve.race.tree_statistics import node_statistics

    return node_statistics(tree)


def _print_nodes(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for key in rows[0]:
        table.add_column(key.replace("_", " "), justify="left" if key == "node" else "right")
    for row in rows:
        table.add_row(*(f"{v:.4g}" if isinstance(v, float) else str(v) for v in row.values()))
    Console().print(table)
