// Wrong arguments, traps, growth of memory: each error names the argument, and nothing has changed.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Ids, init } from '../pkg/index.js';

const detached = (Type) => { const list = new Type(4); structuredClone(list.buffer, { transfer: [list.buffer] }); return list; };
const WRONG_IDS = [2 ** 32 + 1, -1, NaN, 1.5, 2 ** 26, '1', undefined, null, 1n, {}];
const WRONG_NUMBERS = [NaN, '1', undefined, null, 1n, {}, []];

test('wrong arguments are named, and nothing changes', async () => {
    const quadrille = await init();
    const world = quadrille.world(0, 0, 100, 100), points = world.addPointLayer(), boxes = world.addBoxLayer();
    world.insert(points, 5, 1, 1);
    world.insert(boxes, 6, 1, 1, 3, 3);
    const wrong = [];
    const refused = (name, call) => wrong.push([name, call]);
    for (const id of WRONG_IDS) {
        refused('id', () => world.insert(points, id, 1, 1));
        refused('id', () => world.move(id, 1, 1));
        refused('id', () => world.remove(id));
        refused('id', () => world.has(id));
        refused('id', () => world.shape(id));
        if (id !== undefined) refused('id', () => world.nearest(1, 1, { except: id }));
        if (typeof id !== 'object' && id !== undefined) refused('id', () => world.insertPoints(points, id, [1, 1]));
        if (id !== undefined) refused('id', () => world.removeMany([id]));
        refused('layer', () => world.insert(id, 9, 1, 1));
        if (id !== undefined && id !== -1 && id !== 2 ** 26) refused('layers', () => world.window(0, 0, 1, 1, id));
        if (id !== undefined && id !== 2 ** 26) refused('k', () => world.nearest(1, 1, { k: id }));
    }
    for (const number of WRONG_NUMBERS) {
        refused('minX', () => world.insert(points, 9, number, 1));
        if (number !== undefined) refused('maxY', () => world.insert(boxes, 9, 1, 1, 2, number));
        refused('minY', () => world.move(5, 1, number));
        refused('minX', () => world.window(number, 0, 1, 1));
        refused('maxX', () => world.count(0, 0, number, 1));
        refused('atX', () => world.nearest(number, 0));
        refused('fromX', () => world.raycast(number, 0, 1, 1));
        refused('byY', () => world.cast(0, 0, 1, 1, 1, number));
        refused('distance', () => world.within(0, 0, number));
        refused('coords', () => world.insertPoints(points, [9], [1, number]));
        refused('windows', () => world.windowMany([0, 0, 1, number]));
        refused('ball', () => world.watch({ ball: [0, 0, number] }));
    }
    refused('minX', () => world.insert(boxes, 9, 2, 1, 1, 1));
    refused('minX', () => world.insert(points, 9, Infinity, 1));
    refused('minX', () => world.window(2, 1, 1, 1));
    refused('id 5', () => world.insert(points, 5, 1, 1));
    refused('id 7', () => world.insertPoints(points, [7, 7], [1, 1, 2, 2]));
    refused('id 5', () => world.insertPoints(points, [7, 5], [1, 1, 2, 2]));
    refused('id 9', () => world.insert(points, 9, 1, 1, 2, 2));
    refused('id 5', () => world.move(5, 1, 1, 2, 2));
    refused('ids', () => world.insertPoints(points, [7], [1, 1, 2, 2]));
    refused('coords', () => world.insertPoints(points, 7, [1, 1, 2]));
    refused('coords', () => world.movePoints([5, 5], [1, 1, NaN, 2]));
    refused('coords', () => world.moveBoxes(6, [3, 3, 1, 1]));
    refused('coords', () => world.movePoints(5, detached(Float64Array)));
    refused('coords', () => world.movePoints(5, new BigInt64Array(2)));
    refused('coords', () => world.movePoints(5, 'ab'));
    refused('ids', () => world.movePoints(detached(Uint32Array), [1, 1]));
    refused('distance', () => world.within(0, 0, -1));
    refused('region', () => world.watch({}));
    refused('box', () => world.watch({ box: [1, 2] }));
    refused('polygon', () => world.polygon([1, 2, NaN, 3]));
    refused('periodic', () => quadrille.world(0, 0, 1, 1, { periodic: true }));
    for (const [name, call] of wrong) {
        assert.throws(call, (error) => {
            assert.ok(error instanceof RangeError || error instanceof TypeError, `${call}: ${error}`);
            assert.ok(error.message.includes(name), `${call}: no word of ${name} in: ${error.message}`);
            return true;
        }, `${call}`);
        assert.equal(world.size, 2, `${call}`);
    }
    assert.deepEqual([...world.shape(5)], [1, 1, 1, 1]);
    assert.deepEqual([...world.shape(6)], [1, 1, 3, 3]);
    assert.throws(() => quadrille.world(0, 0, NaN, 1), /maxX/);
    for (let layer = 2; layer < 32; layer++) world.addPointLayer();
    assert.throws(() => world.addPointLayer(), RangeError);
});

test('a trap closes the instance', async () => {
    const quadrille = await init(await readFile(new URL('../pkg/index.wasm', import.meta.url)));
    const world = quadrille.world(0, 0, 1, 1);
    assert.throws(() => world.leave(world.enter().insert(world.at, 99, 0, 0, 0, 0, 0)), WebAssembly.RuntimeError);
    assert.throws(() => world.window(0, 0, 1, 1), /closed/);
    assert.throws(() => quadrille.world(0, 0, 1, 1), /closed/);
});

test('a debug build catches a stale list', async () => {
    const quadrille = await init(undefined, { debug: true });
    const world = quadrille.world(0, 0, 10, 10), points = world.addPointLayer();
    world.insertPoints(points, 0, [1, 1, 2, 2]);
    const list = world.window(0, 0, 10, 10);
    assert.deepEqual([...list], [0, 1]);
    assert.equal(list.length, 2);
    assert.equal(world.removeMany(world.window(0, 0, 1, 1)), 1);
    assert.throws(() => list[0], /stale/);
});

test('growth of memory leaves no detached view, and a list of its own may be passed', async () => {
    const quadrille = await init();
    const world = quadrille.world(0, 0, 1000, 1000), points = world.addPointLayer();
    const coords = Float64Array.from({ length: 200_000 }, (_, at) => (at * 7919) % 1000);
    world.insertPoints(points, 0, coords);
    assert.equal(world.window(0, 0, 1000, 1000).length, 100_000);
    assert.equal(world.removeMany(world.window(0, 0, 1000, 1000)), 100_000);
    assert.equal(world.size, 0);
});

test('a million calls without growth', async () => {
    const quadrille = await init();
    const world = quadrille.world(0, 0, 1000, 1000), points = world.addPointLayer();
    for (let id = 0; id < 1000; id++) world.insert(points, id, (id * 37) % 1000, (id * 91) % 1000);
    let before;
    for (let call = 0; call < 1_000_000; call++) {
        if (call === 100_000) before = quadrille.exports.memory.buffer.byteLength;
        const at = (call * 31) % 1000;
        if (call % 4 === 0) world.window(at, at, at + 20, at + 20);
        else if (call % 4 === 1) world.move(call % 1000, at, (call * 17) % 1000);
        else if (call % 4 === 2) world.nearest(at, at);
        else if (world.remove(call % 1000)) world.insert(points, call % 1000, at, at);
    }
    for (let round = 0; round < 1000; round++) { const other = quadrille.world(0, 0, 1, 1); other.addPointLayer(); other.watch({ ball: [0, 0, 1] }).free(); other.free(); other.free(); }
    assert.equal(quadrille.exports.memory.buffer.byteLength, before);
});

test('keys of any kind', () => {
    const ids = new Ids();
    assert.deepEqual([ids.add('a'), ids.add(2 ** 40), ids.add('a')], [0, 1, 0]);
    assert.deepEqual([ids.key(1), ids.delete('a'), ids.get('a'), ids.add('b'), ids.size], [2 ** 40, 0, undefined, 0, 2]);
});
