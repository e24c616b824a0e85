// Objects of a window, grouped by square cells.
import { checkBox, checkNumber, layersOf } from './module.js';

/** Asks one of the functions of clusters.rs, and returns how many groups there are. */
function asked(world, ask, of) {
    const { D } = world, [a, b, c, d, e, f] = of, { [2 * D]: size, [2 * D + 1]: layers } = of;
    checkBox(D, a, b, c, d, e, f);
    checkNumber('size', size);
    const among = layersOf(layers);
    const length = world.leave(world.enter()[ask](world.at, among, size, a, b, c, d, e, f));
    if (length < 0) throw new RangeError(`size is ${size}: cells must be finite, and at least 2^-30 of the longest side of the world and of the distance of each object`);
    return length;
}

/** For each cell: its numbers, how many objects it has, their mean and bounds, and the id of one. */
export function clusters(world, of) {
    const n = asked(world, 'clusters', of), { D } = world;
    return { cells: world.cellNumbers(D * n), counts: world.touching(n), means: world.normals(D * n), boxes: world.numbers(2 * D * n), ids: world.ids(n) };
}

/** The same without what must be looked up. */
export function clusterCounts(world, of) {
    const n = asked(world, 'cluster_counts', of);
    return { cells: world.cellNumbers(world.D * n), counts: world.touching(n) };
}

/** The number of a new memory of markers. */
export const markersNew = (world, radius) => world.leave(world.enter().markers_new(world.at, radius));

/**
 * The markers whose means lie in a box, with all ids or with one of each; and their numbers. Then the numbers of those that are new and
 * that are gone, each with the one that it came from or went into.
 */
export function markers(world, memory, isWhole, box) {
    checkBox(2, ...box);
    const n = world.leave(world.enter().markers_poll(world.at, memory, +isWhole, ...box)), counts = world.touching(n), come = 6 * n + 1 + 2 * world.position;
    const all = world.numbers(come + 2 * world.numbers(4 * n + 1)[4 * n]), ends = new Uint32Array(n);
    if (isWhole) for (let at = 0, end = 0; at < n; at++) ends[at] = end += counts[at];
    const ids = world.ids(isWhole ? ends.at(-1) ?? 0 : n), numbers = all.subarray(4 * n + 1, 6 * n + 1);
    return { counts, means: world.normals(2 * n), boxes: all, numbers, come: all.subarray(6 * n + 1, come), gone: all.subarray(come), ids, ends };
}

/** A box around what a marker took at the last poll, or undefined. */
export const markersBox = (world, memory, number) => (world.leave(world.enter().markers_box(world.at, memory, number)) ? world.numbers(4) : undefined);
