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

/** With all ids: those of group i are `ids.subarray(ends[i - 1] ?? 0, ends[i])`. */
export function clusterMembers(world, of) {
    const n = asked(world, 'cluster_members', of), { D } = world, counts = world.touching(n), ends = new Uint32Array(n);
    for (let at = 0, end = 0; at < n; at++) ends[at] = end += counts[at];
    const length = n === 0 ? 0 : ends[n - 1];
    return { cells: world.cellNumbers(D * n), counts, means: world.normals(D * n), boxes: world.numbers(2 * D * n), ids: world.ids(length), ends };
}
