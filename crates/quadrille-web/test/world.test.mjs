// Every method beside a scan, in both dimensions and both scalars, on a coarse lattice.
import assert from 'node:assert/strict';
import { test } from 'node:test';

function random(seed) {
    return (below) => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % 65536 % below;
}
const sorted = (list) => [...list].sort((a, b) => a - b);
const same = (found, expected, what) => assert.deepEqual(sorted(found), sorted(expected), what);

for (const [name, D] of [['index', 2], ['f32', 2], ['periodic', 2], ['3d', 3], ['3d-f32', 3], ['lite', 2]]) {
    test(`${name}: answers against scans`, async () => {
        const quadrille = await (await import(`../pkg/${name}.js`)).init();
        const below = random(7), axes = [...Array(D).keys()];
        const place = (side = 40) => axes.map(() => below(side));
        const world = quadrille.world(...axes.map(() => 0), ...axes.map(() => 40));
        const points = world.addPointLayer(), boxes = world.addBoxLayer();
        const held = new Map();
        const box = () => { const min = place(), size = place(4); return [...min, ...min.map((at, axis) => at + size[axis])]; };
        const point = () => { const at = place(); return [...at, ...at]; };
        const meets = (a, b, by = 0) => axes.every((axis) => a[axis] - by <= b[axis + D] && b[axis] <= a[axis + D] + by);
        const far = (a, b) => axes.reduce((sum, axis) => sum + Math.max(0, a[axis] - b[axis + D], b[axis] - a[axis + D]) ** 2, 0);
        const scan = (test, layers = -1) => [...held].filter(([, { shape, layer }]) => (layers >> layer & 1) && test(shape)).map(([id]) => id);
        const set = (id, layer, shape) => held.set(id, { layer, shape });
        const whole = name !== 'lite';
        const watched = whole && world.watch({ box: [...axes.map(() => 5), ...axes.map(() => 20)] });
        const contacts = whole && world.contacts({ between: 1 << points, layers: 1 << boxes });
        let inside = [], touching = [];

        const batch = Array.from({ length: 300 }, box);
        world.insertBoxes(boxes, 1000, batch.flat());
        batch.forEach((shape, at) => set(1000 + at, boxes, shape));
        for (let id = 0; id < 300; id++) {
            const at = place();
            world.insert(points, id, ...at);
            set(id, points, [...at, ...at]);
        }
        for (let round = 0; round < 60; round++) {
            const moved = [];
            for (let change = 0; change < 20; change++) {
                const id = below(2) ? below(300) : 1000 + below(300), old = held.get(id), what = below(3);
                moved.push(id);
                if (!old) {
                    const shape = id < 300 ? point() : box();
                    assert.equal(world.has(id), false);
                    assert.equal(world.move(id, ...shape), false);
                    world.insert(id < 300 ? points : boxes, id, ...shape);
                    set(id, id < 300 ? points : boxes, shape);
                } else if (what === 0) {
                    assert.equal(world.remove(id), true);
                    held.delete(id);
                } else {
                    const shape = id < 300 ? point() : box();
                    assert.equal(world.move(id, ...shape), true);
                    set(id, old.layer, shape);
                    assert.deepEqual([...world.shape(id)], shape);
                }
            }
            assert.equal(world.size, held.size);
            assert.equal(world.sizeOf(1 << points), scan(() => true, 1 << points).length);
            const asked = box(), layers = [-1, 1 << points, 1 << boxes][below(3)];
            const hits = scan((shape) => meets(shape, asked), layers);
            same(world.window(...asked, layers), hits, 'window');
            assert.equal(world.any(...asked, layers), hits.length > 0);
            assert.equal(world.count(...asked, layers), hits.length);
            const some = [...world.some(2, ...asked, layers)];
            assert.ok(some.length === Math.min(2, hits.length) && some.every((id) => hits.includes(id)));
            const windows = [box(), box(), box()], many = world.windowMany(windows.flat(), layers);
            windows.forEach((window, at) => same(many.ids.subarray(many.ends[at - 1] ?? 0, many.ends[at]), scan((shape) => meets(shape, window), layers)));

            if (round % 10 === 0) world.optimizeStep(4);
            if (!whole) continue;

            const at = place(), here = [...at, ...at];
            same(world.within(...at, 6, layers), scan((shape) => far(shape, here) <= 36, layers), 'within');
            const borrowed = world.nearest(...at, { k: 7, layers }), near = { ids: borrowed.ids.slice(), distances: borrowed.distances.slice() };
            const distances = scan(() => true, layers).map((id) => Math.sqrt(far(held.get(id).shape, here))).sort((a, b) => a - b).slice(0, 7);
            assert.deepEqual([near.ids.length, near.distances.length], [distances.length, distances.length]);
            [...near.distances].forEach((distance, at) => assert.ok(Math.abs(distance - distances[at]) < 1e-5));
            [...near.ids].forEach((id, at) => assert.ok(Math.abs(Math.sqrt(far(held.get(id).shape, here)) - distances[at]) < 1e-5));
            same(world.nearest(...at, { k: 600, except: near.ids[0] }).ids, [...held.keys()].filter((id) => id !== near.ids[0]));
            const places = [at, place(), place()], ones = world.nearestMany(places.flat(), { layers, within: 5, k: 3 });
            places.forEach((at, which) => {
                const from = (id) => far(held.get(id).shape, [...at, ...at]);
                const expected = scan((shape) => far(shape, [...at, ...at]) <= 25, layers).map(from).sort((a, b) => a - b).slice(0, 3);
                assert.deepEqual([...ones.ids.subarray(ones.ends[which - 1] ?? 0, ones.ends[which])].map(from), expected);
            });
            // Each place twice.
            const order = [...world.orderOf([...places, ...places].flat())];
            assert.deepEqual(sorted(order), [0, 1, 2, 3, 4, 5]);
            for (let i = 0; i < 3; i++) assert.ok(order.indexOf(i) < order.indexOf(i + 3), 'equal places keep their order');
            // Along an axis a ray and a cast are a box that is longer.
            const along = axes.map((axis) => (axis === 0 ? 1 : 0)), long = [...at, 1000, ...at.slice(1)];
            const swept = [...asked]; swept[D] += 8;
            for (const [ask, way, front, length] of [
                [() => world.raycast(...at, ...along, { k: 600, layers }), long, at[0], 1],
                [() => world.cast(...asked, ...along.map((step) => 8 * step), { k: 600, layers }), swept, asked[D], 8],
            ]) {
                const { ids, times } = ask();
                same(ids, scan((shape) => meets(shape, way), layers), 'ray or cast');
                assert.deepEqual([...times], [...ids].map((id) => Math.max(0, held.get(id).shape[0] - front) / length));
                assert.deepEqual([...times], sorted(times));
            }

            const listed = [...held], pairs = [];
            for (let i = 0; i < listed.length; i++) for (let j = 0; j < i; j++) if (meets(listed[i][1].shape, listed[j][1].shape)) pairs.push([listed[i][0], listed[j][0]].sort((a, b) => a - b));
            const found = world.pairs().slice();
            const key = ([a, b]) => a * 4096 + b;
            same(Array.from({ length: found.length / 2 }, (_, at) => key(sorted(found.subarray(2 * at, 2 * at + 2)))), pairs.map(key), 'pairs');
            assert.equal(world.pairs({ within: 2 }).length, 2 * listed.flatMap(([, one], i) => listed.slice(0, i).filter(([, other]) => far(one.shape, [...other.shape]) <= 4)).length);

            const isNear = (a, b) => far(a.shape, [...b.shape]) <= 9, told = { layers, within: 3, between: [0, 1 << boxes][below(2)] };
            const { of, ids: around, ends } = world.neighbors(told), others = told.between || told.layers;
            same(of, scan(() => true, layers), 'neighbors');
            of.forEach((id, at) => {
                const expected = scan((shape) => isNear(held.get(id), { shape }), others).filter((other) => other !== id);
                same(around.subarray(ends[at - 1] ?? 0, ends[at]), expected, `neighbors of ${id}`);
            });
            assert.equal(ends.at(-1) ?? 0, around.length);

            const { entered, left } = (({ entered, left }) => ({ entered: [...entered], left: [...left] }))(watched.poll());
            const now = scan((shape) => meets(shape, [...axes.map(() => 5), ...axes.map(() => 20)]));
            // Who left and has come again under its id is told twice.
            same(inside.filter((id) => !left.includes(id)).concat(entered), now, 'watch');
            same(watched.inside(), now);
            inside = now;
            const { begun, ended } = round % 4 === 0 ? contacts.poll() : contacts.poll(moved);
            const keys = (list) => Array.from({ length: list.length / 2 }, (_, at) => key(sorted(list.subarray(2 * at, 2 * at + 2))));
            const gone = keys(ended), touch = pairs.filter(([a, b]) => a < 1000 && b >= 1000).map(key);
            same(touching.filter((pair) => !gone.includes(pair)).concat(keys(begun)), touch, 'contacts');
            touching = touch;
            for (const id of [below(300), 1000 + below(300)]) {
                same(contacts.of(id), pairs.filter(([a, b]) => a < 1000 && b >= 1000 && (a === id || b === id)).map(([a, b]) => a + b - id), 'partners');
            }
        }
        const living = scan(() => true, 1 << points);
        assert.equal(world.movePoints([...living, 1000, 999], [...living, 1000, 999].flatMap(() => axes.map(() => 3))), 2);
        for (const id of living) {
            assert.deepEqual([...world.shape(id)], axes.concat(axes).map(() => 3));
            set(id, points, [...world.shape(id)]);
        }
        const consecutive = Array.from({ length: 20 }, box);
        world.insertBoxes(boxes, 3000, Float64Array.from(consecutive.flat()));
        consecutive.forEach((shape, at) => { assert.deepEqual([...world.shape(3000 + at)], shape); set(3000 + at, boxes, shape); });
        if (whole) {
            const bounds = [...world.bounds()];
            assert.deepEqual(bounds, [...axes.map((axis) => Math.min(...[...held.values()].map(({ shape }) => shape[axis]))), ...axes.map((axis) => Math.max(...[...held.values()].map(({ shape }) => shape[axis + D])))]);
            assert.ok(world.cells(points).depths.length > 0);
            assert.equal(world.fitWorld(), true);
        }
        assert.equal(world.removeMany([...living, 999]), living.length);
        world.clear();
        assert.equal(world.size, 0);
        world.free();
        assert.throws(() => world.size, /was freed/);
    });
}

test('polygons, in the plane', async () => {
    const quadrille = await (await import('../pkg/index.js')).init();
    const world = quadrille.world(0, 0, 10, 10), points = world.addPointLayer();
    world.insertPoints(points, 0, [1, 1, 5, 5, 9, 9]);
    const square = [0, 0, 6, 0, 6, 6, 0, 6];
    same(world.polygon(square), [0, 1]);
    const watch = world.watch({ polygon: square, holes: [[4, 4, 6, 4, 6, 6, 4, 6]] });
    assert.deepEqual([...watch.poll().entered], [0]);
    watch.move({ polygon: square });
    assert.deepEqual([...watch.poll().entered], [1]);
    world.remove(0);
    assert.deepEqual([...watch.poll().left], [0]);
});

test('a world that wraps around', async () => {
    const quadrille = await (await import('../pkg/periodic.js')).init();
    const world = quadrille.world(0, 0, 100, 100, { periodic: true }), ships = world.addPointLayer();
    world.insert(ships, 0, 99, 50);
    world.insertPoints(ships, 1, [102, 50]);
    assert.deepEqual([...world.shape(1)], [2, 50, 2, 50]);
    same(world.within(99, 50, 4), [0, 1]);
    assert.deepEqual([...world.nearest(99, 50, { k: 2 }).distances], [0, 3]);
    assert.equal(world.pairs({ within: 3 }).length, 2);
    assert.equal(world.movePoints(0, [-1, -1]), 0);
    assert.deepEqual([...world.shape(0)], [99, 99, 99, 99]);
    const contacts = world.contacts({ within: 3 });
    assert.deepEqual([...contacts.poll().begun], []);
    world.move(1, 1, 1);
    assert.deepEqual([...contacts.poll([1]).begun].sort(), [0, 1]);
    assert.deepEqual([[...contacts.of(0)], [...contacts.of(1)], [...contacts.of(7)]], [[1], [0], []]);
    const { of, ids, ends } = world.neighbors({ within: 3 });
    assert.deepEqual([[...of].sort(), [...ids].sort(), [...ends]], [[0, 1], [0, 1], [1, 2]]);
    world.remove(0);
    // Until the next poll the one that is gone is told by its id.
    assert.deepEqual([[...contacts.of(0)], [...contacts.of(1)]], [[1], [0]]);
    assert.deepEqual([...contacts.poll([]).ended].sort(), [0, 1]);
    assert.deepEqual([...contacts.of(1)], []);
});
