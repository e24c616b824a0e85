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
                const { cells, counts, means, boxes, ids } = world.clusters(...min, ...max, size, layers);
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
                    // The lowest handle is that of the first inserted.
                    assert.equal(ids[at], Math.min(...list.map(({ id }) => id)));
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

const RADIUS = 40 / 512;
const count = (features) => features.reduce((sum, { properties }) => sum + (properties.point_count ?? 1), 0);
/** The features of an answer by their numbers, lone points too. */
const byNumber = (index, features) => new Map(features.map((one, at) => [index.changes.ids[at], one]));

test('the class of supercluster: clusters by radius, children, leaves, tiles, while points move', () => {
    const below = random(5), points = Array.from({ length: 500 }, (_, at) => feature(below(3000) / 10 - 150, below(1200) / 10 - 60, { weight: at % 7 }));
    const index = new Supercluster({ map: ({ weight }) => ({ sum: weight }), reduce: (all, one) => { all.sum += one.sum; } }).load(points.slice(0, 400));
    const there = points.slice(0, 400), shown = new Map();
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
            const found = index.getClusters(world, zoom), radius = RADIUS / 2 ** zoom;
            assert.equal(count(found), there.length);
            const { come, gone } = index.changes, now = byNumber(index, found), before = shown.get(zoom);
            assert.equal(now.size, found.length);
            // Others were asked for in between.
            if (zoom === 0 && before) {
                assert.deepEqual(new Set(come.map(({ id }) => id)), new Set([...now.keys()].filter((id) => !before.has(id))));
                assert.deepEqual(new Set(gone.map(({ id }) => id)), new Set([...before.keys()].filter((id) => !now.has(id))));
                for (const { from } of come) assert.ok(from === undefined || before.has(from));
                for (const { into } of gone) assert.ok(into === undefined || now.has(into));
            }
            shown.set(zoom, now);
            if (zoom > 16) continue;
            const places = found.map(project), least = (at) => Math.min(...places.map(([x, y], other) => (other === at ? 1 : Math.hypot(x - places[at][0], y - places[at][1]))));
            places.forEach((_, at) => assert.ok(least(at) > 0.6 * radius - 1e-12, 'circles are apart'));
            const owner = new Map();
            found.forEach((one) => (one.properties.cluster ? index.getLeaves(one.id, Infinity) : [one]).forEach((leaf) => { assert.ok(!owner.has(leaf)); owner.set(leaf, one); }));
            assert.deepEqual(new Set(owner.keys()), new Set(there), 'each point in one');
            const next = zoom < 16 ? index.getClusters(world, zoom + 1) : there, nextOf = new Map();
            next.forEach((one) => (one.properties.cluster ? index.getLeaves(one.id, Infinity) : [one]).forEach((leaf) => nextOf.set(leaf, one.id ?? one)));
            for (const one of found.filter(({ properties }) => properties.cluster)) {
                const leaves = index.getLeaves(one.id, Infinity);
                assert.equal(one.properties.point_count, leaves.length);
                assert.equal(one.properties.sum, leaves.reduce((sum, { properties: { weight } }) => sum + weight, 0));
                const mean = [0, 1].map((axis) => leaves.reduce((sum, leaf) => sum + project(leaf)[axis], 0) / leaves.length);
                project(one).forEach((at, axis) => assert.ok(Math.abs(at - mean[axis]) < 1e-9));
                assert.deepEqual([...index.getLeaves(one.id, 2, 1)], leaves.slice(1, 3));
                const children = index.getChildren(one.id), ofLeaves = new Set(leaves.map((leaf) => nextOf.get(leaf)));
                assert.deepEqual(new Set(children.map((child) => child.id ?? child)), ofLeaves);
                const expansion = index.getClusterExpansionZoom(one.id);
                assert.ok(expansion > zoom && expansion <= 17);
                assert.equal(expansion > zoom + 1 && zoom < 16, ofLeaves.size === 1 && zoom < 16, 'until then they are one');
            }
            assert.deepEqual(byNumber(index, index.getClusters(world, zoom)), now, 'nothing has changed');
        }
        // Tiles share the memory: each cluster is in the tile of its middle.
        const all = byNumber(index, index.getClusters(world, 1)), tiled = new Map();
        for (const tile of [0, 1, 2, 3]) {
            const { features } = index.getTile(1, tile % 2, tile >> 1) ?? { features: [] }, { ids, come, gone } = index.changes;
            assert.deepEqual([come, gone], [[], []]);
            features.forEach(({ geometry: [[x, y]], tags }, at) => { if (x >= 0 && x < 512 && y >= 0 && y < 512) tiled.set(ids[at], tags.point_count ?? 1); });
        }
        assert.deepEqual(tiled, new Map([...all].map(([id, one]) => [id, one.properties.point_count ?? 1])));
    }
    index.free();
});

test('the class of supercluster: a cluster keeps its number while its points move, and says where it splits', () => {
    const points = Array.from({ length: 10 }, (_, at) => feature(10 + at / 100, 20)), index = new Supercluster().load(points);
    const [{ id }] = index.getClusters(world, 4);
    assert.deepEqual(index.changes, { ids: [id], come: [{ id, from: undefined }], gone: [] });
    for (let step = 0; step < 20; step++) {
        points.forEach(({ geometry }, at) => { geometry.coordinates[0] += at < 6 ? 0 : 0.08; });
        assert.equal(index.moveAll().getClusters(world, 4)[0].id, id);
    }
    const put = (longitude, of) => of.forEach(({ geometry }) => { geometry.coordinates[0] = longitude; });
    put(11.7, points.slice(0, 8));
    put(9.3, points.slice(8));
    const found = index.moveAll().getClusters(world, 4), { ids, come } = index.changes;
    assert.deepEqual(found.map((one) => [one.id, one.properties.point_count]), [[id, 8], [ids[1], 2]]);
    assert.deepEqual(come, [{ id: ids[1], from: id }]);
    put(11.7, points);
    assert.equal(index.moveAll().getClusters(world, 4).length, 1);
    assert.deepEqual(index.changes, { ids: [id], come: [], gone: [{ id: ids[1], into: undefined }] });
});

test('the class of supercluster: no town is cut, at any zoom', () => {
    const dice = random(9), towns = { London: [-0.0005, 51.48], Quito: [-78.45, 0], 'New Orleans': [-90, 29.95], Berlin: [13.4, 52.52], 'at 45 east': [45, 30] };
    for (const [name, [lng, lat]] of Object.entries(towns)) {
        for (let zoom = 0; zoom <= 16; zoom++) {
            // A town of a quarter of the radius.
            const size = 360 * RADIUS / 2 ** zoom / 4, away = () => (dice(1000) / 1000 - 0.5) * size;
            const found = new Supercluster().load(Array.from({ length: 200 }, () => feature(lng + away(), lat + away()))).getClusters(world, zoom);
            assert.deepEqual(found.map(({ properties }) => properties.point_count), [200], `${name} at zoom ${zoom}`);
        }
    }
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
    for (const radius of [1e-300, 1e300]) assert.equal(new Supercluster({ radius }).load(points).getClusters(world, 0).length, radius < 1 ? 2 : 1);
    assert.throws(() => new Supercluster({ radius: 0 }), /radius is 0/);
    assert.throws(() => index.load([a, feature(NaN, 0)]), /NaN|finite|numbers/);
    assert.equal(index.size, 4, 'nothing has changed');
    assert.throws(() => index.add({ ...a, geometry: null }), /a longitude and a latitude/);
    assert.throws(() => index.add({ ...a, geometry: { type: 'Polygon', coordinates: [] } }), /a longitude and a latitude/);
    assert.throws(() => index.getClusterExpansionZoom(1e15), /No cluster/);
    for (const zoom of [NaN, 'near']) assert.throws(() => index.getClusters(world, zoom), /^RangeError: zoom is NaN/);
    assert.throws(() => index.getTile(undefined, 0, 0), /zoom must be a number/);
    assert.equal(new Supercluster({ maxZoom: 31, radius: 16, extent: 8192 }).load([a, a]).getClusters(world, 31).length, 1);
    assert.throws(() => index.getClusters([1, 2, 3], 0), /NaN/);
    assert.throws(() => index.getClusters(world), /^TypeError: zoom must be a number, not undefined/);
    assert.deepEqual(index.getClusters([170, -10, -170, 10], 3), []);
    assert.equal(new Supercluster().load([feature(179.9, 0), feature(-179.9, 0)]).getClusters([170, -10, -170, 10], 3).length, 1);
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

test('the class of supercluster: a town at 180 degrees is one circle, and each point is there once', () => {
    const below = random(7), town = Array.from({ length: 60 }, (_, at) => feature((at % 2 ? 180 : -180) + (at % 2 ? -1 : 1) * below(1000) / 1e9, -17 + below(1000) / 1e9)), index = new Supercluster().load(town);
    for (let zoom = 0; zoom <= 16; zoom++) {
        for (const box of [world, [170, -30, 190, 0], [170, -30, -170, 0]]) {
            const [circle, ...others] = index.getClusters(box, zoom);
            assert.deepEqual([circle.properties.point_count, others.length, index.changes.ids], [60, 0, [circle.id]]);
            assert.deepEqual(new Set(index.getLeaves(circle.id, 100)), new Set(town));
            assert.equal(index.getClusterExpansionZoom(circle.id), 17);
        }
    }
    assert.equal(index.getChildren(index.getClusters(world, 4)[0].id)[0].properties.point_count, 60);
    index.load(Array.from({ length: 400 }, () => feature((below(4000) / 100 + 340) % 360 - 180, below(4000) / 100 - 20)));
    for (let zoom = 0; zoom <= 8; zoom++) {
        const found = index.getClusters(world, zoom), halves = [...index.getClusters([0, -85, 180, 85], zoom), ...index.getClusters([-180, -85, 0, 85], zoom)];
        assert.deepEqual([count(found), count(halves)], [400, 400]);
        assert.deepEqual(new Set(halves.map(({ id, geometry }) => id ?? geometry)), new Set(found.map(({ id, geometry }) => id ?? geometry)));
    }
    index.free();
});
