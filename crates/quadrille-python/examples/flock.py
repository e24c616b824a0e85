"""A flock of 100 000 on a torus: each bird steers by those that it sees. Runs as a script or, cell by cell, as a notebook.

pip install pyquadrille matplotlib
python examples/flock.py                            # 100 000 birds, 200 ticks
python examples/flock.py --birds 2000 --ticks 20 --picture flock.png
"""

# %% How many, and how they fly
import argparse
import time

import numpy as np

import pyquadrille

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--birds", type=int, default=100_000)
parser.add_argument("--ticks", type=int, default=200)
parser.add_argument("--picture", default="flock.png")
options, _ = parser.parse_known_args()

count = options.birds
side = count**0.5  # one bird to a square of 1
sight, speed = 1.5, 0.15
cohere, align, separate = 0.02, 0.10, 0.08

# %% The birds, and the index of where they are
draw = np.random.default_rng(1)
places = draw.random((count, 2)) * side
directions = draw.normal(size=(count, 2))

index = pyquadrille.Index([0, 0, side, side], torus=True)
birds = index.add_points()
handles = index.insert_many(birds, places)


# %% One tick
def mean_of(values: np.ndarray, bird: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """For each bird the mean of what it sees."""
    sums = np.stack([np.bincount(bird, values[:, axis], minlength=count) for axis in range(2)], axis=1)
    return sums / np.maximum(seen, 1)[:, None]


def tick() -> float:
    """Moves all birds. Returns the processor time of the index's part."""
    global places, directions
    start = time.process_time()
    index.move_many(handles, places)
    offsets, neighbours = index.neighbors(sight)
    took = time.process_time() - start

    # As many entries as pairs that see each other: `bird` sees `neighbours`.
    seen = np.diff(offsets)
    bird = np.repeat(np.arange(count), seen)
    way = index.displacement(places[bird], places[neighbours])  # across the border where that is shorter
    squares = np.maximum((way**2).sum(axis=1), 0.01)
    directions += cohere * mean_of(way, bird, seen)
    directions += align * mean_of(directions[neighbours] - directions[bird], bird, seen)
    directions -= separate * mean_of(way / squares[:, None], bird, seen)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    places = index.wrap(places + speed * directions)
    return took


# %% Let them fly
start = time.process_time()
by_index = [tick() for _ in range(options.ticks)]
both = time.process_time() - start
print(f"{count} birds: {both / options.ticks * 1e3:.1f} ms a tick, of it the index {np.median(by_index) * 1e3:.1f} ms")

# %% Draw them by the direction in which they fly
try:
    from matplotlib.figure import Figure
except ImportError as error:
    raise SystemExit("no picture without matplotlib") from error

figure = Figure(figsize=(9, 9), layout="constrained")
ax = figure.add_subplot()
angles = np.arctan2(directions[:, 1], directions[:, 0])
dot = max(0.5, 30_000 / count)
drawn = ax.scatter(*places.T, c=angles, cmap="hsv", vmin=-np.pi, vmax=np.pi, s=dot, linewidths=0)
ax.set(aspect="equal", xlim=(0, side), ylim=(0, side), xticks=[], yticks=[], facecolor="0.08")
ax.set_title(f"{count} birds after {options.ticks} ticks, coloured by their direction")
figure.savefig(options.picture, dpi=150)
print(f"drawn to {options.picture}")
