"""Circles on a map of 20 000 taxis: each keeps its number, so its way can be drawn, and they split and join as crowds do.

pip install pyquadrille matplotlib
python examples/circles.py                          # a script, or cell by cell a notebook
python examples/circles.py --taxis 2000 --ticks 20 --picture circles.png
"""

# %% How many
import argparse

import numpy as np

import pyquadrille

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--taxis", type=int, default=20_000)
parser.add_argument("--ticks", type=int, default=100)
parser.add_argument("--picture", default="circles.png")
options, _ = parser.parse_known_args()

# %% Half of the taxis drive from a town to another one, the others anywhere
count, side, radius = options.taxis, 1000, 60
draw = np.random.default_rng(3)
towns = draw.random((12, 2)) * side * 0.9 + side * 0.05
town = draw.integers(0, 12, count)
starts = towns[town] + draw.normal(0, 20, (count, 2))
goals = towns[(town + draw.integers(0, 2, count) * 5) % 12] + draw.normal(0, 20, (count, 2))

index = pyquadrille.Index([0, 0, side, side])
taxis = index.add_points()
handles = index.insert_many(taxis, starts)

# %% Drive, and ask for the circles in each tick
markers = index.markers(radius, taxis)
ways: dict[int, list[np.ndarray]] = {}  # of each circle, by its number
pictures, changes = [], 0
for tick in range(options.ticks + 1):
    places = starts + (goals - starts) * tick / options.ticks
    index.move_many(handles, places)
    (numbers, counts, means, bounds, rows), come, gone = markers.poll([0, 0, side, side])
    for number, mean in zip(numbers.tolist(), means, strict=True):
        ways.setdefault(number, []).append(mean)
    if tick in (0, options.ticks // 2, options.ticks):
        trails = {number: np.array(ways[number]) for number in numbers.tolist()}
        pictures.append((f"tick {tick}: {len(numbers)} circles", places, counts, trails))
    changes += (len(come) + len(gone)) / len(numbers) if tick else 0
print(f"{count} taxis: in each tick {changes / options.ticks:.1%} of the circles have come or gone")

# %% Draw three moments: the same circle has the same colour, and a line along which it came
try:
    from matplotlib import colormaps
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle
except ImportError as error:
    raise SystemExit("no picture without matplotlib") from error

figure = Figure(figsize=(18, 6.5), layout="constrained")
colours = colormaps["tab20"].colors
for ax, (title, places, counts, trails) in zip(figure.subplots(1, 3), pictures, strict=True):
    ax.scatter(*places.T, s=1, color="0.75", linewidths=0)
    for (number, trail), size in zip(trails.items(), counts.tolist(), strict=True):
        colour = colours[number % 20]
        ax.plot(*trail.T, color=colour, linewidth=2)
        # As large as it has taxis, never larger than what it takes.
        ax.add_patch(Circle(trail[-1], radius * (0.3 + 0.7 * (size / counts.max()) ** 0.5), color=colour, alpha=0.6))
        ax.annotate(str(size), trail[-1], ha="center", va="center", fontsize=8)
    ax.set(title=title, aspect="equal", xlim=(0, side), ylim=(0, side), xticks=[], yticks=[])
figure.savefig(options.picture, dpi=100)
print(f"drawn to {options.picture}")
