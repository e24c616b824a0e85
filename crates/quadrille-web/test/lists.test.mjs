// The lists of answers: copies by default, which no later call changes; borrowed or checked ones for a world that asks for them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receiveMessageOnPort } from 'node:worker_threads';

const ENTRIES = [['index', 2], ['f32', 2], ['periodic', 2], ['3d', 3], ['3d-f32', 3], ['lite', 2]];

/** A world of some points and boxes, and all questions that have lists in their answers. */
async function questions(entry, D, options) {
    const quadrille = await (await import(`../pkg/${entry}.js`)).init(), p = (x, y) => (D === 3 ? [x, y, 0] : [x, y]);
    const world = quadrille.world(...Array(D).fill(0), ...Array(D).fill(100), options), points = world.addPointLayer(), boxes = world.addBoxLayer();
    for (let id = 0; id < 200; id++) world.insert(points, id, ...p(id % 20, Math.floor(id / 20)));
    for (let id = 200; id < 260; id++) world.insert(boxes, id, ...p(id % 20, id % 7), ...p(id % 20 + 2, id % 7 + 2));
    const window = (size) => [...p(1, 1), ...p(1 + size, 1 + size)];
    const asks = {
        window: () => world.window(...window(3)),
        longer: () => world.window(...window(60)),
        none: () => world.window(...p(90, 90), ...p(91, 91)),
        windowMany: () => world.windowMany([...window(2), ...window(4)]),
        some: () => world.some(7, ...window(9)),
        shape: () => ({ shape: world.shape(205) }),
    };
    if (entry !== 'lite') {
        const ball = world.watch({ ball: [...p(3, 3), 2] }), contacts = world.contacts({ within: 1 });
        Object.assign(asks, {
            within: () => world.within(...p(3, 3), 3),
            nearest: () => world.nearest(...p(9, 9), { k: 20 }),
            nearestMany: () => world.nearestMany([...p(1, 1), ...p(7, 7)], { k: 5 }),
            orderOf: () => world.orderOf([...p(1, 1), ...p(7, 7), ...p(2, 1)]),
            raycast: () => world.raycast(...p(0, 0.5), ...p(1, 0.25), { k: 9 }),
            cast: () => world.cast(...window(2), ...p(5, 5), { k: 9 }),
            castBall: () => world.castBall(...p(2, 2), 2, ...p(5, 5), { k: 9 }),
            pairs: () => world.pairs({ within: 1 }),
            neighbors: () => world.neighbors({ within: 1 }),
            bounds: () => ({ bounds: world.bounds() }),
            cells: () => world.cells(points),
            watch: () => { ball.move({ ball: [...p(3, 3), 2] }); return { inside: ball.inside(), ...ball.poll() }; },
            contacts: () => ({ inside: contacts.inside(), of: contacts.of(21), ...contacts.poll() }),
        });
        if (D === 2) asks.polygon = () => world.polygon([0, 0, 9, 0, 9, 9]);
    }
    return { quadrille, world, points, asks };
}

const lists = (answer) => (ArrayBuffer.isView(answer) ? [answer] : Object.values(answer));
const kept = (answer) => lists(answer).map((list) => [...list]);

for (const [entry, D] of ENTRIES) test(`${entry}: an answer stays as it is, whatever is asked while it is read`, async () => {
    const { world, points, asks } = await questions(entry, D);
    for (const [name, ask] of Object.entries(asks)) {
        const answer = ask(), before = kept(answer);
        for (const other of Object.values(asks)) for (let round = 0; round < 2; round++) other();
        assert.deepEqual(kept(answer), before, name);
        // Memory grows.
        world.insertPoints(points, 1000, new Float64Array(D * 50_000).fill(50));
        world.removeMany(Uint32Array.from({ length: 50_000 }, (_, at) => 1000 + at));
        assert.deepEqual(kept(answer), before, name);
    }
    // The loop that a user writes.
    const seen = [], [corner, other] = [Array(D).fill(0), Array(D).fill(5)];
    for (const id of world.window(...corner, ...other)) {
        seen.push(id);
        asks[entry === 'lite' ? 'some' : 'nearest']();
    }
    assert.deepEqual(seen, [...world.window(...corner, ...other)]);
    assert.ok(seen.length > 10);
});

for (const [entry, D] of ENTRIES) test(`${entry}: an answer that is sent elsewhere leaves all others as they are`, async () => {
    const { asks } = await questions(entry, D), answers = Object.values(asks).map((ask) => lists(ask())).flat(), before = answers.map((list) => [...list]);
    for (const [number, list] of answers.entries()) {
        assert.equal(list.buffer.byteLength, list.byteLength, 'a clone would have more than the list');
        assert.deepEqual([...structuredClone(list, { transfer: [list.buffer] })], before[number]);
        assert.equal(list.length, 0);
        for (const [other, left] of answers.entries()) if (other > number) assert.deepEqual([...left], before[other]);
    }
    const last = asks.window(), { port1, port2 } = new MessageChannel();
    port1.postMessage(last, [last.buffer]);
    assert.deepEqual([...receiveMessageOnPort(port2).message], [...asks.window()]);
    port1.close();
});

for (const [entry, D] of ENTRIES) test(`${entry}: lists are borrowed by a world that asks for it`, async () => {
    const { quadrille, asks } = await questions(entry, D, { lists: 'borrowed' });
    const own = (await questions(entry, D)).asks;
    for (const [name, ask] of Object.entries(asks)) {
        const answer = ask();
        for (const list of lists(answer)) assert.equal(list.buffer, quadrille.exports.memory.buffer, name);
        assert.deepEqual(kept(answer), kept(own[name]()), name);
    }
});

test('a checked list throws once it is stale', async () => {
    const { world, points } = await questions('index', 2, { lists: 'checked' });
    world.clear();
    world.insertPoints(points, 0, [1, 1, 2, 2]);
    const list = world.window(0, 0, 10, 10);
    assert.deepEqual([...list], [0, 1]);
    assert.equal(list.length, 2);
    assert.equal(world.removeMany(world.window(0, 0, 1, 1)), 1);
    assert.throws(() => list[0], /stale/);
    assert.throws(() => { for (const id of list) world.has(id); }, /stale/);
});
