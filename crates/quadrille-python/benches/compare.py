"""pyquadrille beside other packages: processor time, in turn in one process, with all answers compared.

    python benches/compare.py 10000 100000     # writes benches/results/*.json and ratios.svg
    python benches/compare.py --draw           # the table and the plot only

Each number is the median of several rounds, of the fastest way that a package has. Needs scipy, shapely, rtree,
boostree, fastquadtree, pykdtree, vesin, numba and matplotlib, and leaves out what is missing.
"""

from __future__ import annotations

import os

# One thread for all.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import gc
import importlib.metadata
import json
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import contenders
import numpy as np

HERE = Path(__file__).parent
RESULTS = HERE / "results"
# A way that takes longer for one round is tried once only.
PATIENCE_NS = 2_000_000_000


@dataclass
class Case:
    """One row of the table: a method of the contenders, and what to call it with in each round."""

    title: str
    shapes: Any
    side: float
    method: str
    arguments: Callable[[int], tuple[Any, ...]]
    # How many things one call does, if not one, and their unit.
    each: int | None = None
    # Makes answers comparable; None for a tree just built, which the windows ask.
    normal: Callable[[Any], tuple[Any, ...]] | None = None
    options: dict[str, Any] = field(default_factory=dict)


def prepared(tree: Any, method: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments as a contender is asked."""
    return tree.prepared(method, arguments) if hasattr(tree, "prepared") else arguments


def cases(count: int) -> Iterator[Case]:
    rng = np.random.default_rng(7)
    side = float(np.sqrt(count))
    points = rng.random((count, 2)) * side
    # Things that move 0.15 of the distance between neighbours in each round.
    steps = [np.clip(points + rng.normal(0, 0.15, points.shape), 0, np.nextafter(side, 0)) for _ in range(20)]
    extent = rng.random((count, 2)) * np.where(rng.random((count, 1)) < 0.01, 10, 1)
    boxes = np.hstack([points, np.minimum(points + extent, side)])

    def windows_of(hits: int, rng: Any) -> Any:
        """Squares with so many points each, fewer the larger they are."""
        half = np.sqrt(hits) / 2
        centers = half + rng.random((10_000 // (hits // 10), 2)) * (side - 2 * half)
        return np.hstack([centers - half, centers + half])

    def step(round: int) -> tuple[Any, ...]:
        return (steps[round % len(steps)],)

    def csr(questions: int) -> Callable[[Any], tuple[Any, ...]]:
        return lambda answer: answer.csr(questions)

    def pairs(answer: Any) -> tuple[Any, ...]:
        found = np.sort(answer.pairs() if hasattr(answer, "pairs") else answer, axis=1).astype(np.int64)
        return (found[np.lexsort((found[:, 1], found[:, 0]))],)

    checks = windows_of(100, np.random.default_rng(8))

    def moved(which: Any) -> Callable[[Any], tuple[Any, ...]]:
        """Which windows hold some rows after a move: contenders differ in how many others they move."""

        def found(tree: Any) -> tuple[Any, ...]:
            offsets, hits = tree.windows(*prepared(tree, "windows", (checks,))).csr(len(checks))
            is_asked = np.isin(hits, which)
            return np.repeat(np.arange(len(checks)), np.diff(offsets))[is_asked], hits[is_asked]

        return found

    def rows(answer: Any) -> tuple[Any, ...]:
        return (np.asarray(answer, np.int64).ravel(),)

    yield Case("build, points", points, side, "build", lambda _: (points, side))
    yield Case("build, boxes", boxes, side, "build", lambda _: (boxes, side))
    yield Case("move all a little", points, side, "move", step, normal=moved(np.arange(count)))
    some = np.sort(rng.choice(count, count // 100, replace=False))
    arguments = lambda round: (some, *step(round))  # noqa: E731
    yield Case("move 1 % of all", points, side, "move_some", arguments, normal=moved(some))

    for hits in (10, 100, 1000):
        windows = windows_of(hits, rng)
        questions, each = len(windows), [tuple(box) for box in windows.tolist()]
        for name, shapes in (("points", points), ("boxes", boxes)):
            about = shapes, side
            yield Case(
                f"windows of {hits} {name}", *about, "windows", lambda _, w=windows: (w,), questions, csr(questions)
            )
        yield Case(
            f"windows of {hits} boxes, one by one",
            boxes,
            side,
            "window_each",
            lambda _, e=each: (e,),
            questions,
            csr(questions),
        )
    yield Case("count 1000 points", points, side, "count", lambda _: (windows,), questions, rows)

    asked = rng.random((10_000, 2)) * side
    for k in (1, 10):
        yield Case(f"nearest {k}", points, side, "nearest", lambda _, k=k: (asked, k), len(asked), rows)
    each = [tuple(point) for point in asked.tolist()]
    yield Case("nearest 1, one by one", points, side, "nearest_each", lambda _: (each,), len(each), rows)

    # As far as six, and thirty, neighbours on average.
    near, far = (float(np.sqrt(neighbours / np.pi)) for neighbours in (6, 30))
    yield Case("all pairs of near points", points, side, "pairs_within", lambda _: (near,), None, pairs)
    yield Case("all pairs of boxes that touch", boxes, side, "pairs", lambda _: (), None, pairs)
    for name, distance, options in (
        ("tick: move all, 6 neighbours of each", near, {}),
        ("tick, 30 neighbours", far, {}),
        ("tick on a torus, 6 neighbours", near, {"torus": True}),
    ):
        arguments = lambda round, distance=distance: (*step(round), distance)  # noqa: E731
        yield Case(name, points, side, "tick", arguments, None, csr(count), options)
    yield Case(
        "tick, 6 neighbours, asked for each",
        points,
        side,
        "tick_each",
        lambda round: (*step(round), near),
        None,
        csr(count),
    )


def ways_of(kind: Any, method: str) -> list[str]:
    """The method, and those of the same name with one word more."""
    others = {"tick": ("tick_each",), "move": ("move_some",)}.get(method, ())
    return [
        name
        for name in dir(kind)
        if name == method or name.startswith(method + "_") and not name.startswith(others + ("nearest_each", "pairs_within"))
    ]


def measure(case: Case, kinds: list[Any], rounds: int) -> dict[str, Any]:
    """The median time of the fastest way of each contender, in us for each thing or in ms for all."""
    trees: dict[tuple[str, str], Any] = {}
    for kind in kinds:
        if not case.options or kind.name in ("pyquadrille", "cKDTree"):
            for way in ways_of(kind, case.method):
                try:
                    trees[kind.name, way] = kind(case.shapes, case.side, **case.options)
                except NotImplementedError:
                    continue
    times: dict[tuple[str, str], list[int]] = {name: [] for name in trees}
    answers: dict[tuple[str, str], Any] = {}
    for round in range(rounds):
        for name, tree in list(trees.items()):
            if len(times[name]) >= 1 and min(times[name]) > PATIENCE_NS:
                continue
            arguments = prepared(tree, case.method, case.arguments(round))
            # The last contender's answer would be freed on this one's time.
            answer = None
            gc.collect()
            gc.disable()
            start = time.process_time_ns()
            try:
                answer = getattr(tree, name[1])(*arguments)
            except NotImplementedError:
                del trees[name], times[name]
                continue
            finally:
                took = time.process_time_ns() - start
                gc.enable()
            times[name].append(took)
            if round == 0 and case.normal is not None:
                answers[name] = case.normal(answer)
    differ = different(answers)
    assert not differ, f"{case.title}: {differ} differ from {next(iter(answers))}"
    best: dict[str, float] = {}
    ways: dict[str, str] = {}
    for (package, way), taken in times.items():
        median = statistics.median(taken) / (case.each * 1e3 if case.each else 1e6)
        if package not in best or median < best[package]:
            best[package], ways[package] = median, way
    return {"unit": "us" if case.each else "ms", "times": best, "ways": ways}


def different(answers: dict[tuple[str, str], Any]) -> list[tuple[str, str]]:
    """Who answers otherwise than the first."""
    first = next(iter(answers.values()), ())
    return [name for name, answer in answers.items() if not all(map(np.array_equal, first, answer))]


def table(results: dict[str, Any]) -> list[str]:
    """A table in Markdown: ratios, and our own time."""
    names = list(dict.fromkeys(name for case in results.values() for name in case["times"]))
    lines = ["| | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    for title, case in results.items():
        own = case["times"][names[0]]
        unit = "µs" if case["unit"] == "us" else "ms"
        cells = [f"{own:.2g} {unit}" if own < 100 else f"{own:.0f} {unit}"]
        cells += [ratio(case["times"][name] / own) if name in case["times"] else "–" for name in names[1:]]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return lines


def ratio(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def draw(everything: dict[int, dict[str, Any]]) -> None:
    """A dot for each contender and case, on a scale of ratios."""
    import matplotlib
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 0.27 * len(next(iter(everything.values()))) + 1.2), layout="constrained")
    axes = figure.subplots(1, len(everything), sharey=True, sharex=True, squeeze=False)[0]
    for ax, (count, results) in zip(axes, everything.items(), strict=True):
        names = list(dict.fromkeys(name for case in results.values() for name in case["times"]))
        for marker, name in zip("osD^vPX*", names[1:], strict=False):
            dots = [
                (case["times"][name] / case["times"][names[0]], line)
                for line, case in enumerate(results.values())
                if name in case["times"]
            ]
            ax.scatter(*zip(*dots, strict=True), s=18, marker=marker, label=name, zorder=3)
        ax.axvline(1, color="0.3", linewidth=1)
        ax.set(xscale="log", xlabel="times as long as pyquadrille", title=f"{count} objects", axisbelow=True)
        ax.set_yticks(range(len(results)), list(results), fontsize=8)
        ax.grid(color="0.92")
    # The axes share it.
    axes[0].invert_yaxis()
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5, fontsize=8)
    # Text as text; the same picture from the same figures.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "ratios"}):
        figure.savefig(HERE / "ratios.svg", metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counts", type=int, nargs="*", metavar="N")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", help="cases whose title has this in it; nothing is written")
    parser.add_argument("--draw", action="store_true", help="write the plot from the last results")
    options = parser.parse_args()
    for count in options.counts:
        kinds = contenders.installed()
        results = {}
        for case in cases(count):
            if (options.only or "") in case.title:
                results[case.title] = measure(case, kinds, options.rounds)
                print("\n".join(table({case.title: results[case.title]})[-1:]), flush=True)
        if options.only is None:
            packages = ("numpy", "scipy", "shapely", "boostree", "fastquadtree", "rtree", "pykdtree", "vesin", "numba")
            known = {distribution.name for distribution in importlib.metadata.distributions()}
            versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages if name in known)
            RESULTS.mkdir(exist_ok=True)
            (RESULTS / f"{count}.json").write_text(
                json.dumps({"versions": versions, "cases": results}, indent=1) + "\n"
            )
    if options.draw or (options.counts and options.only is None):
        files = sorted(RESULTS.glob("*.json"), key=lambda file: int(file.stem))
        draw({int(file.stem): json.loads(file.read_text())["cases"] for file in files})


if __name__ == "__main__":
    main()
