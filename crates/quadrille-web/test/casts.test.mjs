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

/** What a moving box meets, or what stops it if there is a skin; `undefined` if that is nothing. */
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
