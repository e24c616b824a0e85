// Rays and casts in any direction beside a scan: times, normals, what is touched at the start, and what blocks.
import assert from 'node:assert/strict';
import { test } from 'node:test';

/** Steps by which all times are exact, in 32 bits too. */
const STEPS = [-16, -8, -4, 0, 4, 8, 16];

function random(seed) {
    return (below) => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % 65536 % below;
}

/** The sides of a box as a moving box sees them: the room between the two, and whether it is being closed. */
function sides(body, by, box, D) {
    return by.flatMap((step, axis) => [
        { axis, outward: -1, gap: box[axis] - body[axis + D], closing: step > 0 },
        { axis, outward: 1, gap: body[axis] - box[axis + D], closing: step < 0 },
    ]);
}

/** From when to when the two touch on each axis. */
function times(body, by, box, D) {
    return by.map((step, axis) => {
        const [from, to] = [box[axis] - body[axis + D], box[axis + D] - body[axis]];
        if (step === 0) return from <= 0 && 0 <= to ? [-Infinity, Infinity] : [Infinity, -Infinity];
        return [from / step, to / step].sort((a, b) => a - b);
    });
}

/** How a moving box meets another one, or is stopped by it if there is a skin; `undefined` if it is not. */
function meeting(body, by, box, D, until, skin) {
    const seen = sides(body, by, box, D), nearest = seen.reduce((one, other) => (one.gap < other.gap ? other : one));
    const wide = body.map((at, place) => at + (place < D ? -1 : 1) * (skin ?? 0)), spans = times(wide, by, box, D);
    const [begin, end] = [Math.max(...spans.map(([begin]) => begin)), Math.min(...spans.map(([, end]) => end))];
    if (begin > end || end < 0 || begin > until) return undefined;
    const apart = nearest.gap > 0, begins = times(body, by, box, D).map(([begin], axis) => (by[axis] === 0 ? -Infinity : begin));
    if (skin !== undefined) {
        const enters = nearest.gap < 0 ? nearest.closing : begin < end && seen.every(({ gap, closing }) => gap < 0 || closing);
        if (!enters) return undefined;
    }
    const last = begins.indexOf(Math.max(...begins)), normal = Array(D).fill(0);
    normal[apart ? last : nearest.axis] = apart ? -Math.sign(by[last]) : nearest.outward;
    return { time: Math.max(begin, 0), normal, touches: apart ? 0 : 1 };
}

for (const [name, D] of [['index', 2], ['f32', 2], ['periodic', 2], ['3d', 3], ['3d-f32', 3]]) test(`${name}: rays and casts against scans`, async () => {
    const quadrille = await (await import(`../pkg/${name}.js`)).init(), below = random(11), axes = [...Array(D).keys()];
    const world = quadrille.world(...axes.map(() => 0), ...axes.map(() => 64)), layer = world.addBoxLayer();
    const box = (side) => { const min = axes.map(() => below(64)); return [...min, ...min.map((at) => at + 1 + below(side))]; };
    const held = Array.from({ length: 400 }, () => box(6));
    world.insertBoxes(layer, 0, held.flat());
    let met = 0;
    const same = (hits, until, body, by, skin) => {
        const expected = new Map(held.map((shape, id) => [id, meeting(body, by, shape, D, until, skin)]).filter(([, meets]) => meets));
        const asked = `${body} by ${by}, skin ${skin}`;
        assert.deepEqual([...hits.ids].sort(), [...expected.keys()].sort(), asked);
        assert.deepEqual([...hits.times], [...hits.times].sort((a, b) => a - b));
        hits.ids.forEach((id, at) => {
            const { time, normal, touches } = expected.get(id);
            assert.deepEqual([hits.times[at], ...hits.normals.subarray(D * at, D * at + D)], [time, ...normal], `${asked}: ${held[id]}`);
            if (hits.touching) assert.equal(hits.touching[at], touches, `${asked}: ${held[id]}`);
        });
        met += expected.size;
    };
    for (let round = 0; round < 500; round++) {
        const body = box(4), from = body.slice(0, D), by = axes.map(() => STEPS[below(STEPS.length)]);
        if (by.every((step) => step === 0)) continue;
        same(world.cast(...body, ...by, { k: 400 }), 1, body, by);
        same(world.raycast(...from, ...by, { k: 400, until: 2 }), 2, [...from, ...from], by);
        for (const skin of [0, 0.25]) same(world.cast(...body, ...by, { k: 400, skin }), 1, body, by, skin);
    }
    assert.ok(met > 1000);
});

/** The square of the distance of a point from a box, and the way from there to the point. */
function apart(at, box, D) {
    const way = at.map((place, axis) => place - Math.min(Math.max(place, box[axis]), box[axis + D]));
    return [way.reduce((sum, step) => sum + step ** 2, 0), way];
}

for (const [name, D, side] of [['index', 2], ['f32', 2], ['periodic', 2], ['periodic', 2, 64], ['3d', 3], ['3d-f32', 3]]) test(`${name}: balls against scans${side ? ', wrapped around' : ''}`, async () => {
    const quadrille = await (await import(`../pkg/${name}.js`)).init(), below = random(13), axes = [...Array(D).keys()];
    const world = quadrille.world(...axes.map(() => 0), ...axes.map(() => 64), side ? { periodic: true } : {}), layer = world.addBoxLayer();
    const box = (size) => { const min = axes.map(() => below(64)); return [...min, ...min.map((at) => at + 1 + below(size))]; };
    const held = Array.from({ length: 150 }, () => box(6)), digits = name.endsWith('f32') ? 1e-4 : 1e-9;
    world.insertBoxes(layer, 0, held.flat());
    const steps = side ? [-side, 0, side] : [0];
    const images = (shape) => steps.flatMap((x) => steps.map((y) => (side ? shape.map((at, place) => at + (place % 2 ? y : x)) : shape)));
    let met = 0, touched = 0;
    for (let round = 0; round < 100; round++) {
        const from = axes.map(() => below(64)), radius = below(8), by = axes.map(() => STEPS[below(STEPS.length)]), skin = [undefined, 0.5][round % 2];
        if (by.every((step) => step === 0)) continue;
        const { ids, times, normals, touching } = world.castBall(...from, radius, ...by, { k: 400, skin });
        const at = (time) => from.map((place, axis) => place + by[axis] * time), reach = radius + (skin ?? 0);
        /** The least distance of the nearest image on the way, sampled. */
        const least = held.map((shape) => Math.min(...images(shape).flatMap((image) => Array.from({ length: 33 }, (_, step) => apart(at(step / 32), image, D)[0]))));
        const found = new Set(ids);
        // Each that a sample touches is found, unless the skin leaves it out; what is found is touched at its time, and not before.
        if (skin === undefined) least.forEach((square, id) => { if (square <= radius ** 2) assert.ok(found.has(id), `${from}, ${radius} by ${by}: ${held[id]}`); });
        assert.deepEqual([...times], [...times].sort((a, b) => a - b));
        ids.forEach((id, hit) => {
            const time = times[hit], normal = [...normals.subarray(D * hit, D * hit + D)], told = `${from}, ${radius} by ${by}, skin ${skin}: ${held[id]} at ${time}`;
            const now = Math.min(...images(held[id]).map((image) => apart(at(time), image, D)[0]));
            assert.ok(Math.sqrt(now) <= reach + digits, told);
            if (time > 0) assert.ok(Math.abs(Math.sqrt(now) - reach) <= digits, told);
            const starts = images(held[id]).some((image) => apart(from, image, D)[0] <= radius ** 2);
            assert.equal(touching[hit], starts ? 1 : 0, told);
            assert.ok(Math.abs(Math.hypot(...normal) - 1) < 1e-5, told);
            if (time > 0 && !starts && radius > 0) {
                assert.ok(images(held[id]).some((image) => apart(at(time), image, D)[1].every((way, axis) => Math.abs(way - reach * normal[axis]) < 1e-3)), told);
                assert.ok(by.reduce((sum, step, axis) => sum + step * normal[axis], 0) <= digits, told);
            }
            met++;
            touched += touching[hit];
        });
    }
    assert.ok(met > 100 && touched > 10 && touched < met, `${met} ${touched}`);
});

test('a ball passes a corner that its bounds touch', async () => {
    const world = (await (await import('../pkg/index.js')).init()).world(0, 0, 100, 100);
    world.insert(world.addBoxLayer(), 0, 50, 50, 60, 60);
    const { ids, times, normals, touching } = world.castBall(40, 42, 10, 40, 0);
    const rounded = (list) => Array.from(list, (number) => Math.round(number * 1e9) / 1e9);
    assert.deepEqual([ids, times, normals, touching].map(rounded), [[0], [0.1], [-0.6, -0.8], [0]]);
    assert.equal(world.castBall(40, 39, 10, 40, 0).ids.length, 0);
    // With its skin it would touch, but it does not enter.
    assert.equal(world.castBall(40, 39, 10, 40, 0, { skin: 2 }).ids.length, 0);
    assert.equal(world.castBall(40, 42, 10, 40, 0, { except: 0 }).ids.length, 0);
});

test('where a world wraps around, a skin stops before the image, and a normal is that of the image', async () => {
    const quadrille = await (await import('../pkg/periodic.js')).init();
    const world = quadrille.world(0, 0, 100, 100, { periodic: true });
    world.insert(world.addBoxLayer(), 0, 2, 0, 4, 10);
    const { ids, times, normals, touching } = world.cast(96, 2, 98, 4, 8, 0);
    assert.deepEqual([ids, times, normals, touching].map((list) => [...list]), [[0], [0.5], [-1, 0], [0]]);
    const blocked = world.cast(96, 2, 98, 4, 8, 0, { skin: 1 });
    assert.deepEqual([blocked.ids, blocked.times, blocked.normals, blocked.touching].map((list) => [...list]), [[0], [0.375], [-1, 0], [0]]);
    // It stands on the image, and moves along it.
    assert.deepEqual([...world.cast(96, 10, 103, 12, 8, 0, { skin: 0 }).ids], []);
    assert.deepEqual([...world.cast(96, 10, 103, 12, 8, -1, { skin: 0 }).ids], [0]);
});

for (const [name, D] of [['index', 2], ['f32', 2], ['periodic', 2], ['3d', 3], ['3d-f32', 3]]) test(`${name}: a direction of any length finds what lies in the way`, async () => {
    const quadrille = await (await import(`../pkg/${name}.js`)).init(), p = (x, y, z = 0) => [x, y, z].slice(0, D);
    const world = quadrille.world(...p(0, 0), ...p(100, 100, 100)), layer = world.addBoxLayer();
    world.insert(layer, 0, ...p(50, 0), ...p(60, 9, 9));
    for (const length of [Infinity, 1, name.endsWith('f32') ? 1e-40 : 1e-320]) {
        assert.deepEqual([...world.raycast(...p(1, 1), ...p(length, 0)).ids], [0], `${length}`);
        assert.deepEqual([...world.raycast(...p(70, 1), ...p(-length, 0)).normals], p(1, 0));
        assert.deepEqual([...world.raycast(...p(1, 20), ...p(length, 0)).ids], []);
    }
    assert.deepEqual([...world.cast(...p(1, 1), ...p(2, 2, 2), ...p(Infinity, 0)).ids], [0]);
    assert.deepEqual([...world.cast(...p(1, 20), ...p(2, 22, 2), ...p(Infinity, 0)).ids], []);
});
