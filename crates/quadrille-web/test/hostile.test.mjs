// Wrong arguments, traps, growth of memory: each error names the argument, and nothing has changed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Ids, init } from '../pkg/index.js';

const detached = (Type) => { const list = new Type(4); structuredClone(list.buffer, { transfer: [list.buffer] }); return list; };
const WRONG_IDS = [2 ** 32 + 1, -1, NaN, 1.5, 2 ** 26, '1', undefined, null, 1n, {}];
const WRONG_NUMBERS = [NaN, '1', undefined, null, 1n, {}, []];

for (const [entry, D] of [['index', 2], ['f32', 2], ['periodic', 2], ['3d', 3], ['3d-f32', 3], ['lite', 2]]) test(`${entry}: wrong arguments are named, and nothing changes`, async () => {
    const quadrille = await (await import(`../pkg/${entry}.js`)).init(), whole = entry !== 'lite', f32 = entry.endsWith('f32');
    /** Coordinates of points one after the other, which are 0 on the third axis. */
    const p = (...plane) => plane.flatMap((at, place) => (D === 3 && place % 2 ? [at, 0] : [at]));
    const world = quadrille.world(...p(0, 0, 100, 100).map((at, place) => (place < D ? 0 : at || 100))), points = world.addPointLayer(), boxes = world.addBoxLayer();
    world.insert(points, 5, ...p(1, 1));
    world.insert(boxes, 6, ...p(1, 1, 3, 3));
    const watch = whole && world.watch({ ball: [...p(0, 0), 1] }), contacts = whole && world.contacts();
    const wrong = [];
    const refused = (name, call) => wrong.push([name, call]), refusedInWhole = whole ? refused : () => {};
    for (const id of WRONG_IDS) {
        refused('id', () => world.insert(points, id, ...p(1, 1)));
        refused('id', () => world.move(id, ...p(1, 1)));
        refused('id', () => world.remove(id));
        refused('id', () => world.has(id));
        refused('id', () => world.shape(id));
        if (id !== undefined) refusedInWhole('id', () => world.nearest(...p(1, 1), { except: id }));
        if (id !== undefined) refusedInWhole('id', () => world.cast(...p(1, 1, 2, 2, 1, 1), { except: id }));
        if (id !== undefined) refusedInWhole('id', () => world.castBall(...p(1, 1), 1, ...p(1, 1), { except: id }));
        refusedInWhole('id', () => contacts.of(id));
        refused('id', () => world.insertPoints(points, id, p(1, 1)));
        refused('id', () => world.movePoints(id, p(1, 1)));
        if (id !== undefined) refused('id', () => world.removeMany([id]));
        refused('layer', () => world.insert(id, 9, ...p(1, 1)));
        refused('layer', () => world.insertPoints(id, 9, p(1, 1)));
        refusedInWhole('layer', () => world.cells(id));
        if (id !== 2 ** 26) refused('limit', () => world.some(id, ...p(0, 0, 1, 1)));
        if (id !== 2 ** 26) refused('budget', () => world.optimizeStep(id));
        if (id === undefined || id === 2 ** 26) continue;
        if (id !== -1) {
            refused('layers', () => world.window(...p(0, 0, 1, 1), id));
            refused('layers', () => world.any(...p(0, 0, 1, 1), id));
            refused('layers', () => world.count(...p(0, 0, 1, 1), id));
            refused('layers', () => world.some(1, ...p(0, 0, 1, 1), id));
            refused('layers', () => world.windowMany([], id));
            refused('layers', () => world.sizeOf(id));
            refused('layers', () => world.clear(id));
            refusedInWhole('layers', () => world.bounds(id));
            refusedInWhole('layers', () => world.within(...p(0, 0), 1, id));
            refusedInWhole('layers', () => world.watch({ ball: [...p(0, 0), 1] }, id));
            refusedInWhole('layers', () => world.pairs({ layers: id }));
            refusedInWhole('between', () => world.contacts({ between: id }));
            refusedInWhole('between', () => world.neighbors({ between: id }));
        }
        refusedInWhole('k', () => world.nearest(...p(1, 1), { k: id }));
        refusedInWhole('k', () => world.nearestMany([], { k: id }));
    }
    for (const number of WRONG_NUMBERS) {
        refused('minX', () => world.insert(points, 9, ...p(number, 1)));
        if (number !== undefined) refused('maxY', () => world.insert(boxes, 9, ...p(1, 1, 2, number)));
        refused('minY', () => world.move(5, ...p(1, number)));
        refused('minX', () => world.window(...p(number, 0, 1, 1)));
        refused('maxX', () => world.count(...p(0, 0, number, 1)));
        refused('maxY', () => world.any(...p(0, 0, 1, number)));
        refused('minY', () => world.some(1, ...p(0, number, 1, 1)));
        refused('coords', () => world.insertPoints(points, [9], p(1, number)));
        refused('windows', () => world.windowMany(p(0, 0, 1, number)));
        refused('minX', () => quadrille.world(...p(number, 0, 1, 1)));
        refusedInWhole('atX', () => world.nearest(...p(number, 0)));
        refusedInWhole('fromX', () => world.raycast(...p(number, 0, 1, 1)));
        refusedInWhole('byY', () => world.cast(...p(0, 0, 1, 1, 1, number)));
        refusedInWhole('minX', () => world.cast(...p(number, 0, 1, 1, 1, 1)));
        refusedInWhole('byX', () => world.castBall(...p(0, 0), 1, ...p(number, 1)));
        refusedInWhole('atY', () => world.castBall(...p(0, number), 1, ...p(1, 1)));
        refusedInWhole('radius', () => world.castBall(...p(0, 0), number, ...p(1, 1)));
        refusedInWhole('distance', () => world.within(...p(0, 0), number));
        refusedInWhole('points', () => world.nearestMany(p(1, number)));
        refusedInWhole('points', () => world.orderOf(p(1, number)));
        refusedInWhole('box', () => world.watch({ box: p(0, 0, 1, number) }));
        refusedInWhole('ball', () => world.watch({ ball: [...p(0, 0), number] }));
        if (number !== undefined) refusedInWhole('within', () => world.pairs({ within: number }));
        if (number !== undefined) refusedInWhole('within', () => world.neighbors({ within: number }));
        if (number !== undefined) refusedInWhole('skin', () => world.cast(...p(0, 0, 1, 1, 1, 1), { skin: number }));
        if (number !== undefined) refusedInWhole('until', () => world.raycast(...p(0, 0, 1, 1), { until: number }));
    }
    for (const infinite of f32 ? [Infinity, -Infinity, 1e300] : [Infinity, -Infinity]) {
        refused('minX', () => world.insert(points, 9, ...p(infinite, 1)));
        refused('minY', () => world.move(5, ...p(1, infinite)));
        refused('coords', () => world.insertPoints(points, 9, p(1, infinite)));
        refused('coords', () => world.movePoints(5, p(1, infinite)));
        if (D === 2) refusedInWhole('polygon', () => world.polygon([0, 0, 1, 0, 1, infinite]));
    }
    refused('maxY is Infinity', () => world.insert(boxes, 9, ...p(1e30, 1, 1e30, Infinity)));
    refused('minX', () => world.insert(boxes, 9, ...p(2, 1, 1, 1)));
    refused('minX', () => world.window(...p(2, 1, 1, 1)));
    refused('windows', () => world.windowMany(p(2, 1, 1, 1)));
    refused('minX', () => quadrille.world(...p(2, 1, 1, 1)));
    refused('maxY', () => quadrille.world(...p(0, 0, 1, Infinity)));
    refused('minX', () => quadrille.world(...p(0, 0, 0, 0)));
    refusedInWhole('minX', () => world.cast(...p(2, 1, 1, 1, 1, 1)));
    refusedInWhole('box', () => world.watch({ box: p(2, 1, 1, 1) }));
    refusedInWhole('ball', () => world.watch({ ball: [...p(1, 1), -1] }));
    refused('id 5', () => world.insert(points, 5, ...p(1, 1)));
    refused('id 7', () => world.insertPoints(points, [7, 7], p(1, 1, 2, 2)));
    refused('id 5', () => world.insertPoints(points, [7, 5], p(1, 1, 2, 2)));
    refused(`id ${2 ** 26}`, () => world.insertPoints(points, new Uint32Array([7, 2 ** 26]), p(1, 1, 2, 2)));
    refused('id', () => world.insertPoints(points, 2 ** 26 - 1, p(1, 1, 2, 2)));
    refused('id 9', () => world.insert(points, 9, ...p(1, 1, 2, 2)));
    refused('id 5', () => world.move(5, ...p(1, 1, 2, 2)));
    refused('layer 1', () => world.insertPoints(boxes, 9, p(1, 1)));
    refused('layer 0', () => world.insertBoxes(points, 9, p(1, 1, 2, 2)));
    refused('ids', () => world.insertPoints(points, [7], p(1, 1, 2, 2)));
    refused('ids', () => world.removeMany(5));
    refused('coords', () => world.insertPoints(points, 7, [...p(1, 1), 2]));
    refused('coords', () => world.movePoints([5, 5], p(1, 1, NaN, 2)));
    refused('coords', () => world.moveBoxes(6, p(3, 3, 1, 1)));
    for (const list of [detached(Float64Array), detached(Uint32Array), new BigInt64Array(2 * D), 'abcd', { length: 2 * D }, new DataView(new ArrayBuffer(64)), Array(2 * D), null, undefined, 1n, NaN]) {
        refused('coords', () => world.insertPoints(points, 7, list));
        refused('coords', () => world.insertBoxes(boxes, 7, list));
        refused('coords', () => world.movePoints(5, list));
        refused('coords', () => world.moveBoxes(6, list));
        refused('id', () => world.movePoints(list, p(1, 1)));
        refused('id', () => world.insertBoxes(boxes, list, p(1, 1, 2, 2)));
        refused('ids', () => world.removeMany(list));
        refused('windows', () => world.windowMany(list));
        refusedInWhole('points', () => world.nearestMany(list));
        refusedInWhole('points', () => world.orderOf(list));
        if (list !== undefined) refusedInWhole('ids', () => contacts.poll(list));
        if (list !== undefined) refusedInWhole('box', () => watch.move({ box: list }));
        if (list !== undefined) refusedInWhole('ball', () => watch.move({ ball: list }));
        if (D === 3) continue;
        refusedInWhole('polygon', () => world.polygon(list));
        if (list !== undefined) refusedInWhole('polygon', () => watch.move({ polygon: list }));
        refusedInWhole('holes[0]', () => watch.move({ polygon: [0, 0, 1, 0, 1, 1], holes: [list] }));
    }
    refused('coords', () => world.insertBoxes(boxes, 7, p(1, 1)));
    refused('coords', () => world.moveBoxes(6, p(1, 1)));
    refused('coords', () => world.movePoints(5, [1]));
    if (D === 2) for (const holes of [5, 'ab', {}]) refusedInWhole('holes', () => world.watch({ polygon: [0, 0, 1, 0, 1, 1], holes }));
    refused('windows', () => world.windowMany(Array(2 * D + 1).fill(1)));
    refusedInWhole('points', () => world.nearestMany(Array(D + 1).fill(1)));
    refusedInWhole('points', () => world.orderOf(Array(D + 1).fill(1)));
    refusedInWhole('distance', () => world.within(...p(0, 0), -1));
    refusedInWhole('skin', () => world.cast(...p(0, 0, 1, 1, 1, 1), { skin: -1 }));
    refusedInWhole('skin', () => world.castBall(...p(0, 0), 1, ...p(1, 1), { skin: -1 }));
    refusedInWhole('radius', () => world.castBall(...p(0, 0), -1, ...p(1, 1)));
    for (const lists of ['copied', true, null]) refused('lists', () => quadrille.world(...p(0, 0, 1, 1), { lists }));
    const misspelt = (known, call) => refused(`has no "K": there are ${known}`, () => call({ K: 3, layers: 1 }));
    misspelt('periodic, lists', (options) => quadrille.world(...p(0, 0, 1, 1), options));
    if (whole) {
        misspelt('k, within, layers, except', (options) => world.nearest(...p(1, 1), options));
        misspelt('k, within, layers', (options) => world.nearestMany(p(1, 1), options));
        misspelt('k, until, layers, except', (options) => world.raycast(...p(0, 0, 1, 1), options));
        misspelt('k, layers, except, skin', (options) => world.cast(...p(0, 0, 1, 1, 1, 1), options));
        misspelt('k, layers, except, skin', (options) => world.castBall(...p(0, 0), 1, ...p(1, 1), options));
        misspelt('layers, between, within', (options) => world.pairs(options));
        misspelt('layers, between, within', (options) => world.neighbors(options));
        misspelt('layers, between, within', (options) => world.contacts(options));
    }
    refusedInWhole('region has no "hole": there are ball', () => world.watch({ ball: [...p(1, 1), 1], hole: [] }));
    if (D === 2) refusedInWhole('region has no "hole": there are polygon, holes', () => world.watch({ polygon: [0, 0, 1, 0, 1, 1], hole: [] }));
    for (const options of [1, null, 'k']) {
        refused('options', () => quadrille.world(...p(0, 0, 1, 1), options));
        refusedInWhole('options', () => world.nearest(...p(1, 1), options));
        refusedInWhole('options', () => world.nearestMany(p(1, 1), options));
        refusedInWhole('options', () => world.raycast(...p(0, 0, 1, 1), options));
        refusedInWhole('options', () => world.cast(...p(0, 0, 1, 1, 1, 1), options));
        refusedInWhole('options', () => world.castBall(...p(0, 0), 1, ...p(1, 1), options));
        refusedInWhole('options', () => world.pairs(options));
        refusedInWhole('options', () => world.neighbors(options));
        refusedInWhole('options', () => world.contacts(options));
    }
    if (D === 2) for (const geometry of [{ type: 'Point', coordinates: [1, 1] }, { type: 5 }, { type: 'Feature' }, { type: 'Feature', geometry: null }]) {
        refusedInWhole('region', () => world.watch(geometry));
        refusedInWhole('region', () => world.polygon(geometry));
    }
    if (D === 2) for (const coordinates of [undefined, 5, 'ab', [5], [[5]], [[[1]]], [[1, 2]], {}]) {
        for (const type of ['Polygon', 'MultiPolygon']) refusedInWhole('coordinates', () => world.watch({ type, coordinates }));
    }
    if (D === 2) for (const at of [NaN, '1', undefined]) refusedInWhole('polygon', () => world.polygon({ type: 'Polygon', coordinates: [[[0, 0], [1, 0], [1, at]]] }));
    if (D === 3) refusedInWhole('region', () => world.watch({ type: 'Polygon', coordinates: [] }));
    refusedInWhole('region', () => world.watch({}));
    refusedInWhole('region', () => world.watch());
    refusedInWhole('box', () => world.watch({ box: [1, 2] }));
    if (D === 2) refusedInWhole('polygon', () => world.polygon([1, 2, NaN, 3]));
    else refusedInWhole('region', () => world.watch({ polygon: [1, 2, 3, 4] }));
    if (D === 3) refusedInWhole('polygon', () => world.polygon([0, 0, 1, 0, 1, 1]));
    if (entry !== 'periodic') refused('periodic', () => quadrille.world(...p(0, 0, 1, 1), { periodic: true }));
    for (const periodic of [1, 'x', {}, [true], [true, 1], Array(D + 1).fill(true)]) refused('periodic', () => quadrille.world(...p(0, 0, 1, 1), { periodic }));
    for (const [name, call] of wrong) {
        assert.throws(call, (error) => {
            assert.ok(error instanceof RangeError || error instanceof TypeError, `${call}: ${error}`);
            assert.ok(error.message.includes(name), `${call}: no word of ${name} in: ${error.message}`);
            return true;
        }, `${call}`);
        assert.equal(world.size, 2, `${call}`);
    }
    assert.deepEqual([...world.shape(5)], p(1, 1, 1, 1));
    assert.deepEqual([...world.shape(6)], p(1, 1, 3, 3));
    assert.equal(world.movePoints([5, 6, 7], p(2, 2, 2, 2, 2, 2)), 2);
    assert.deepEqual([...world.shape(6)], p(1, 1, 3, 3));
    for (let layer = 2; layer < 32; layer++) world.addPointLayer();
    assert.throws(() => world.addPointLayer(), RangeError);
});

test('errors are plain sentences', async () => {
    const quadrille = await init(), world = quadrille.world(0, 0, 10, 10), points = world.addPointLayer(), boxes = world.addBoxLayer();
    const says = (type, message, call) => assert.throws(call, (error) => { assert.equal(error.message, message); return error instanceof type; });
    says(RangeError, 'coords: in number 1 minY is NaN', () => world.insertPoints(points, 0, [1, 1, 2, NaN]));
    says(RangeError, 'coords: in number 0 minX is Infinity, beyond the numbers of this module', () => world.movePoints([0], [Infinity, 1]));
    says(RangeError, 'coords: in number 1 minX is 3, more than maxX, which is 2', () => world.insertBoxes(boxes, 0, [1, 1, 2, 2, 3, 3, 2, 4]));
    says(RangeError, 'windows: in number 0 maxY is NaN', () => world.windowMany([1, 1, 2, NaN]));
    says(RangeError, 'points: number 1 is NaN', () => world.nearestMany([1, 1, 2, NaN]));
    says(RangeError, 'points: number 1 is NaN', () => world.orderOf([1, 1, 2, NaN]));
    says(RangeError, 'minX, minY, maxX, maxY are 0, 5, 9, 5: a world must have a size on each axis, and its numbers a place for each part of it', () => quadrille.world(0, 5, 9, 5));
    const { window, nearest, size } = world, { poll, free } = world.watch({ ball: [1, 1, 1] });
    says(TypeError, 'window is a method: call it on a world, as in world.window(…)', () => window(0, 0, 1, 1));
    says(TypeError, 'nearest is a method: call it on a world, as in world.nearest(…)', () => [[1, 2]].map(nearest));
    says(TypeError, 'poll is a method: call it on a watch, as in watch.poll(…)', () => poll());
    says(TypeError, 'free is a method: call it on a watch, as in watch.free(…)', () => free.call({}));
    says(TypeError, 'poll is a method: call it on the contacts, as in contacts.poll(…)', () => world.contacts().poll.call(undefined));
    assert.equal(size, 0);
});

test('without SIMD it says so', () => {
    // Without these instructions of the processor, Node has none for vectors.
    const program = "import { init } from './pkg/index.js'; await init().then(() => console.log('started'), ({ message }) => console.log(message));";
    const { stdout } = spawnSync(process.execPath, ['--no-enable-sse4-1', '--input-type=module', '--eval', program], { encoding: 'utf8', cwd: new URL('..', import.meta.url) });
    assert.match(stdout, process.arch === 'x64' ? /^quadrille needs WebAssembly with SIMD: / : /./);
});

test('a module comes as bytes, compiled, or in a response', async () => {
    const bytes = await readFile(new URL('../pkg/index.wasm', import.meta.url));
    for (const source of [bytes, new Uint8Array(bytes).buffer, await WebAssembly.compile(bytes), new Response(bytes), Promise.resolve(new Response(bytes))]) {
        assert.equal((await init(source)).world(0, 0, 1, 1).size, 0);
    }
    await assert.rejects(init(new Response('', { status: 404 })), /404/);
});

test('a world is freed at the end of its block, or when it is forgotten', async () => {
    const quadrille = await init(await readFile(new URL('../pkg/index.wasm', import.meta.url))), freed = [];
    quadrille.exports = { ...quadrille.exports, world_free: (at) => freed.push(at) };
    const world = quadrille.world(0, 0, 1, 1), { at } = world;
    world[Symbol.dispose]();
    assert.deepEqual(freed, [at]);
    quadrille.world(0, 0, 1, 1);
    assert.throws(() => world.size, /was freed/);
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc');
    for (let round = 0; round < 100 && freed.length < 2; round++) {
        collect();
        await new Promise((resolve) => { setTimeout(resolve, 10); });
    }
    assert.equal(freed.length, 2);
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
    const contacts = world.contacts({ within: 5 });
    let before;
    for (let call = 0; call < 1_000_000; call++) {
        if (call === 100_000) before = quadrille.exports.memory.buffer.byteLength;
        const at = (call * 31) % 1000;
        if (call % 8 === 0) world.window(at, at, at + 20, at + 20);
        else if (call % 8 === 4) world.cast(at, at, at + 5, at + 5, 50, 20, { skin: 0.1, k: 3 });
        else if (call % 16 === 6) world.castBall(at, at, 3, 50, 20, { skin: 0.1, k: 3 });
        else if (call % 8 === 6) world.raycast(at, at, 1, 0.5, { until: 50, k: 3 });
        else if (call % 4 === 1) world.move(call % 1000, at, (call * 17) % 1000);
        else if (call % 4 === 2) world.nearest(at, at);
        else if (world.remove(call % 1000)) world.insert(points, call % 1000, at, at);
        if (call % 1000 === 0) { contacts.poll(); contacts.of(at); world.neighbors({ within: 5 }); }
    }
    for (let round = 0; round < 1000; round++) { const other = quadrille.world(0, 0, 1, 1); other.addPointLayer(); other.watch({ ball: [0, 0, 1] }).free(); other.free(); other.free(); }
    assert.equal(quadrille.exports.memory.buffer.byteLength, before);
});

test('keys of any kind', () => {
    const ids = new Ids();
    assert.deepEqual([ids.add('a'), ids.add(2 ** 40), ids.add('a')], [0, 1, 0]);
    assert.deepEqual([ids.key(1), ids.delete('a'), ids.get('a'), ids.add('b'), ids.size], [2 ** 40, 0, undefined, 0, 2]);
});
