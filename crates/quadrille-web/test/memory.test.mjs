// Modules and their memory: who shares one, sparse ids, what is refused beforehand, and what follows when one is closed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { init, initSync } from '../pkg/index.js';

const BYTES = await readFile(new URL('../pkg/index.wasm', import.meta.url));
/** Closes a module, as a call does that runs out of memory. */
function trap(quadrille) {
    const world = quadrille.world(0, 0, 1, 1);
    // A layer that the module does not have, unseen by the checks.
    world.layers = 99;
    assert.throws(() => world.insert(98, 0, 0, 0), (error) => /closed.*ran out of memory.*init\(\)/.test(error.message) && error.cause instanceof WebAssembly.RuntimeError);
    return world;
}

test('calls of `init` share a module, and have another one once that is closed', async () => {
    const [one, two] = await Promise.all([init(), init()]);
    assert.equal(one, two);
    assert.equal(await init(), one);
    assert.equal(initSync(), one);
    assert.notEqual(await init(BYTES), one);
    const world = trap(one);
    assert.throws(() => world.window(0, 0, 1, 1), /closed/);
    assert.throws(() => one.world(0, 0, 1, 1), /closed/);
    world.free();
    const next = await init();
    assert.notEqual(next, one);
    assert.equal(await init(), next);
    assert.equal(next.world(0, 0, 1, 1).size, 0);
});

test('in CommonJS too', async () => {
    const entry = createRequire(import.meta.url)('../pkg/index.cjs');
    assert.equal(entry.initSync(), await entry.init());
});

test('before `init` there is nothing to share', () => {
    const program = "import { initSync } from './pkg/f32.js'; try { initSync(); } catch ({ message }) { console.log(message); }";
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8', cwd: new URL('..', import.meta.url) });
    assert.match(stdout, /^initSync needs a source here/);
});

test('a source that is none is named', async () => {
    for (const source of [5, {}, null, Symbol('x')]) await assert.rejects(init(source), (error) => error instanceof TypeError && /^source must be/.test(error.message));
});

test('the class of rbush goes on after its module was closed', async () => {
    const { default: RBush } = await import('../pkg/rbush.js'), item = { minX: 0, minY: 0, maxX: 1, maxY: 1 };
    const before = new RBush().insert(item);
    trap(await init());
    assert.throws(() => before.search(item), /closed/);
    assert.deepEqual(before.clear().insert(item).search(item), [item]);
    assert.deepEqual(new RBush().load([item]).all(), [item]);
});

test('an object with the largest id takes little memory', async () => {
    const quadrille = await init(BYTES), world = quadrille.world(0, 0, 100, 100), layer = world.addPointLayer(), far = 2 ** 26 - 1;
    const before = quadrille.exports.memory.buffer.byteLength;
    world.insert(layer, far, 1, 1);
    assert.ok(quadrille.exports.memory.buffer.byteLength - before < 4e6);
    const told = (...ids) => assert.deepEqual([...world.window(0, 0, 100, 100)].sort((a, b) => a - b), ids);
    told(far);
    // Dense ones come near, until the far one is one of them.
    world.insert(layer, 200_000, 2, 2);
    world.insertPoints(layer, 0, new Float64Array(200).fill(101));
    world.insertPoints(layer, 100, new Float64Array(2 * 199_900).fill(101));
    world.insertPoints(layer, 200_001, new Float64Array(2 * 100).fill(101));
    told(200_000, far);
    assert.deepEqual([...world.shape(200_000)], [2, 2, 2, 2]);
    assert.equal(world.move(200_000, 3, 3), true);
    assert.equal(world.movePoints([far, 200_000, 300_001, 65_000_000], new Float64Array(8).fill(4)), 2);
    assert.equal(world.remove(far), true);
    assert.equal(world.has(far), false);
    told(200_000);
});

test('a batch for which there is no memory is refused, and all worlds go on', async () => {
    const quadrille = await init(BYTES), world = quadrille.world(0, 0, 100, 100), points = world.addPointLayer(), boxes = world.addBoxLayer();
    world.insert(points, 0, 1, 1);
    // Nobody reads or writes these numbers.
    const many = new Float64Array(120_000_000);
    assert.throws(() => world.insertPoints(points, 1, many), (error) => error instanceof RangeError && /coords.* 60000000 .*4 GB/.test(error.message));
    assert.throws(() => world.insertBoxes(boxes, 1, many), (error) => error instanceof RangeError && / 30000000 /.test(error.message));
    assert.equal(world.size, 1);
    world.insertPoints(points, 1, [2, 2]);
    assert.deepEqual([...world.window(0, 0, 9, 9)], [0, 1]);
});

test('a module may have more than 2 GB', async () => {
    const quadrille = await init(BYTES);
    quadrille.exports.memory.grow(2 ** 15);
    quadrille.world(0, 0, 1, 1).free();
    const fill = quadrille.world(0, 0, 100, 100), layer = fill.addPointLayer();
    fill.insertPoints(layer, 0, new Float64Array(200_000).fill(7));
    // Its head lies there as well.
    const worlds = Array.from({ length: 2000 }, () => quadrille.world(0, 0, 100, 100)), world = worlds.at(-1), points = world.addPointLayer();
    world.insertPoints(points, 0, [1, 1, 2, 2]);
    assert.deepEqual([...world.window(0, 0, 9, 9)], [0, 1]);
    assert.deepEqual([...world.shape(1)], [2, 2, 2, 2]);
    assert.ok(worlds.some(({ at }) => at >>> 0 > 2 ** 31));
});
