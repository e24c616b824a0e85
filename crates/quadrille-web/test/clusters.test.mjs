// Groups by cell, and the class of supercluster, beside scans.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Supercluster from '../pkg/supercluster.js';

function random(seed) {
    return (below) => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % 65536 % below;
}
const sorted = (list) => [...list].sort((a, b) => a - b);
const group = (list, key) => list.reduce((groups, one) => groups.set(key(one), [...(groups.get(key(one)) ?? []), one]), new Map());

for (const [name, D] of [['index', 2], ['f32', 2], ['periodic', 2], ['3d', 3]]) {
    test(`${name}: clusters against scans`, async () => {
        const quadrille = await (await import(`../pkg/${name}.js`)).init();
        const below = random(11), axes = [...Array(D).keys()], place = () => axes.map(() => below(80) - 20);
        for (const lists of ['own', 'borrowed', 'checked']) {
            const world = quadrille.world(...axes.map(() => 0), ...axes.map(() => 32), { lists });
            const points = world.addPointLayer(), boxes = world.addBoxLayer(), held = new Map();
            for (let id = 0; id < 400; id++) {
                const min = place(), max = id % 2 ? min : min.map((at) => at + 2 * below(3));
                world.insert(id % 2 ? points : boxes, id, ...min, ...max);
                held.set(id, [min, max]);
            }
            for (const size of [1, 2, 3, 5, 8, 32, 100]) {
                const min = axes.map(() => below(20) - 10), max = min.map((at) => at + below(50)), layers = below(2) ? -1 : 1 << points;
                const found = [...world.window(...min, ...max, layers)].map((id) => ({ id, shape: held.get(id) }));
                const center = ({ shape: [min, max] }) => axes.map((axis) => (min[axis] + max[axis]) / 2);
                const expected = group(found, (one) => center(one).map((at) => Math.floor(at / size)).join());
                const lengths = () => {
                    const { cells, counts } = world.clusterCounts(...min, ...max, size, layers);
                    return Array.from(counts, (count, at) => [cells.slice(D * at, D * at + D).join(), count]);
                };
                assert.deepEqual(new Map(lengths()), new Map([...expected].map(([key, list]) => [key, list.length])));
                for (const ask of ['clusters', 'clusterMembers']) {
                    const { cells, counts, means, boxes, ids, ends } = world[ask](...min, ...max, size, layers);
                    assert.equal(counts.length, expected.size);
                    for (let at = 0; at < counts.length; at++) {
                        const list = expected.get(cells.slice(D * at, D * at + D).join());
                        assert.equal(counts[at], list.length);
                        axes.forEach((axis) => {
                            const mean = list.reduce((sum, one) => sum + center(one)[axis], 0) / list.length;
                            assert.ok(Math.abs(means[D * at + axis] - mean) < 1e-4);
                            assert.equal(boxes[2 * D * at + axis], Math.min(...list.map(({ shape }) => shape[0][axis])));
                            assert.equal(boxes[2 * D * at + D + axis], Math.max(...list.map(({ shape }) => shape[1][axis])));
                        });
                        const all = sorted(list.map(({ id }) => id));
                        // The lowest handle is that of the first inserted.
                        if (ask === 'clusters') assert.equal(ids[at], all[0]);
                        else assert.deepEqual(sorted(ids.slice(ends[at - 1] ?? 0, ends[at])), all);
                    }
                }
            }
            const whole = [...axes.map(() => 0), ...axes.map(() => 1)];
            for (const size of [0, -1, Infinity, 1e-30]) assert.throws(() => world.clusters(...whole, size), RangeError);
            assert.throws(() => world.clusters(...whole, NaN), /size is NaN/);
            assert.throws(() => world.clusters(...whole), /size must be a number/);
            assert.throws(() => world.clusterCounts(...whole, 1, 'units'), /layers is "units"/);
            assert.equal(world.clusters(...axes.map(() => 500), ...axes.map(() => 501), 1).counts.length, 0);
            world.free();
        }
    });
}

const feature = (lng, lat, properties = {}) => ({ type: 'Feature', properties, geometry: { type: 'Point', coordinates: [lng, lat] } });
const project = ({ geometry: { coordinates: [lng, lat] } }) => {
    const sin = Math.sin(lat * Math.PI / 180);
    return [lng / 360 + 0.5, 0.5 - 0.25 * Math.log((1 + sin) / (1 - sin)) / Math.PI];
};
const world = [-180, -85, 180, 85];

test('the class of supercluster: clusters by cell, children, leaves, tiles, while points move', () => {
    const below = random(5), points = Array.from({ length: 500 }, (_, at) => feature(below(3000) / 10 - 150, below(1200) / 10 - 60, { weight: at % 7 }));
    const index = new Supercluster({ map: ({ weight }) => ({ sum: weight }), reduce: (all, one) => { all.sum += one.sum; } }).load(points.slice(0, 400));
    const there = points.slice(0, 400);
    for (let round = 0; round < 12; round++) {
        for (let change = 0; change < 10; change++) {
            const point = points[below(500)], has = there.includes(point), what = below(3);
            if (what === 0) {
                assert.equal(index.remove(point), has);
                if (has) there.splice(there.indexOf(point), 1);
            } else {
                point.geometry.coordinates = [below(3000) / 10 - 150, below(1200) / 10 - 60];
                index[what === 1 ? 'move' : 'add'](point);
                if (!has) there.push(point);
            }
        }
        if (round % 3 === 0) {
            there.forEach(({ geometry }) => { geometry.coordinates[0] = (geometry.coordinates[0] + 157) % 300 - 150; });
            index.moveAll();
        }
        assert.equal(index.size, there.length);
        for (const zoom of [0, 1, 3, 6, 16, 17]) {
            const key = (point) => (zoom > 16 ? project(point) : project(point).map((at) => Math.floor(at * 8 * 2 ** zoom))).join();
            const expected = group(there, key), found = index.getClusters(world, zoom);
            assert.equal(found.length, zoom > 16 ? there.length : expected.size);
            assert.equal(found.reduce((sum, { properties }) => sum + (properties.point_count ?? 1), 0), there.length);
            for (const one of found) {
                if (!one.properties.cluster) { assert.ok(there.includes(one)); continue; }
                const leaves = index.getLeaves(one.id, Infinity), list = expected.get(key(leaves[0]));
                assert.deepEqual(new Set(leaves), new Set(list));
                assert.equal(one.properties.point_count, list.length);
                assert.equal(one.properties.sum, list.reduce((sum, { properties: { weight } }) => sum + weight, 0));
                assert.deepEqual([...index.getLeaves(one.id, 2, 1)], leaves.slice(1, 3));
                const children = index.getChildren(one.id);
                assert.equal(children.reduce((sum, { properties }) => sum + (properties.point_count ?? 1), 0), list.length);
                const expansion = index.getClusterExpansionZoom(one.id);
                assert.ok(expansion > zoom && expansion <= 17);
                const apart = group(list, (point) => project(point).map((at) => Math.floor(at * 8 * 2 ** (expansion - 1))).join());
                assert.equal(apart.size, 1, 'until then they are one');
            }
        }
        // Whole clusters by tile: each is in the tile of its middle.
        const tiles = [0, 1, 2, 3].map((tile) => index.getTile(1, tile % 2, tile >> 1)?.features ?? []);
        const inside = tiles.flat().filter(({ geometry: [[x, y]] }) => x >= 0 && x < 512 && y >= 0 && y < 512);
        assert.ok(Math.abs(inside.reduce((sum, { tags }) => sum + (tags.point_count ?? 1), 0) - there.length) <= there.length / 50);
    }
    index.free();
});

test('the class of supercluster: minPoints, ids, bad input', () => {
    const points = [feature(1, 1), feature(1, 1), feature(1, 1), feature(80, 1)], [a] = points;
    assert.equal(new Supercluster({ minPoints: 4 }).load(points).getClusters(world, 0).length, 4);
    assert.equal(new Supercluster({ minPoints: 3 }).load(points).getClusters(world, 0).length, 2);
    const index = new Supercluster({ generateId: true }).load([...points, { ...a, geometry: null }]);
    assert.deepEqual(sorted(index.getTile(17, 65900, 65171)?.features.map(({ id }) => id) ?? []), [0, 1, 2]);
    assert.throws(() => index.getChildren(7), /No cluster with the specified id/);
    assert.throws(() => index.getLeaves(2 ** 26 + 32 * 99), /No cluster/);
    assert.throws(() => new Supercluster({ radios: 3 }), /radios/);
    assert.throws(() => new Supercluster({ maxZoom: 40 }), /maxZoom is 40/);
    assert.throws(() => new Supercluster({ radius: 0 }), /radius is 0/);
    assert.throws(() => index.load([a, feature(NaN, 0)]), /NaN|finite|numbers/);
    assert.equal(index.size, 4, 'nothing has changed');
    assert.throws(() => index.add({ ...a, geometry: null }), /a longitude and a latitude/);
    assert.throws(() => index.add({ ...a, geometry: { type: 'Polygon', coordinates: [] } }), /a longitude and a latitude/);
    assert.throws(() => index.getClusterExpansionZoom(1e15), /No cluster/);
    for (const zoom of [undefined, NaN, 'near']) assert.throws(() => index.getClusters(world, zoom), /^RangeError: zoom is NaN/);
    assert.throws(() => index.getTile(undefined, 0, 0), /^RangeError: zoom is NaN/);
    assert.deepEqual(index.getClusters([170, -10, -170, 10], 3), []);
    assert.equal(new Supercluster().load([feature(179.9, 0), feature(-179.9, 0)]).getClusters([170, -10, -170, 10], 3).length, 2);
    assert.deepEqual(new Supercluster().load([]).getClusters(world, 0), []);
});

test('the class of supercluster: geometries that come and go', () => {
    const [a, b, c] = [feature(1, 1), feature(20, 20), feature(80, 1)], late = { ...a, geometry: null };
    const index = new Supercluster().load([late, a, b, c]), places = () => index.getClusters(world, 17).map((point) => point.geometry.coordinates.join());
    late.geometry = { type: 'Point', coordinates: [-60, -60] };
    [a, b, c].forEach(({ geometry }) => { geometry.coordinates[0] += 5; });
    index.moveAll();
    const [west, south, east, north] = [84, 0, 86, 2];
    assert.deepEqual(index.getClusters([west, south, east, north], 17), [c], 'the last one has moved');
    assert.equal(index.size, 3);
    assert.equal(index.remove(late), false);
    assert.deepEqual(index.add(late).getClusters([-61, -61, -59, -59], 17), [late]);
    const before = sorted(places());
    b.geometry = null;
    assert.throws(() => index.moveAll(), /a longitude and a latitude/);
    assert.equal(index.size, 4);
    b.geometry = { type: 'Point', coordinates: [25, 20] };
    assert.deepEqual(sorted(places()), before, 'nothing has moved');
});
