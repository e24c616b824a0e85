// Worlds as bytes: the same objects and answers after loading, and whatever is torn is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';

function random(seed) {
    return (below) => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % 65536 % below;
}
const sorted = (list) => [...list].sort((a, b) => a - b);

async function filled(entry, D, options) {
    const quadrille = await (await import(`../pkg/${entry}.js`)).init(), below = random(5), axes = [...Array(D).keys()];
    const world = quadrille.world(...axes.map(() => 0), ...axes.map(() => 64), options);
    const layers = [world.addBoxLayer(), world.addPointLayer(), world.addPointLayer(), world.addBoxLayer()];
    for (let id = 0; id < 300; id++) {
        const at = axes.map(() => below(512) / 8), size = axes.map(() => below(40) / 8);
        // The third layer stays empty.
        if (id % 3) world.insert(layers[1], 7 * id, ...at);
        else world.insert(layers[id % 2 ? 0 : 3], 7 * id, ...at, ...at.map((min, axis) => min + size[axis]));
    }
    for (let id = 0; id < 300; id += 4) world.remove(7 * id);
    return { quadrille, world, below, axes };
}

for (const [entry, D, options = {}] of [['index', 2], ['f32', 2], ['periodic', 2], ['periodic', 2, { periodic: [false, true] }], ['3d', 3], ['3d-f32', 3], ['lite', 2], ['index', 2, { lists: 'borrowed' }], ['index', 2, { lists: 'checked' }]]) {
    test(`${entry}, ${JSON.stringify(options)}: a world is the same after it was saved and loaded`, async () => {
        const { quadrille, world, below, axes } = await filled(entry, D, options), bytes = world.save();
        assert.deepEqual(world.save(), bytes);
        // From anywhere in a buffer.
        const wider = new Uint8Array(bytes.length + 3);
        wider.set(bytes, 3);
        for (const source of [bytes, bytes.buffer, wider.subarray(3), new DataView(bytes.buffer)]) {
            const loaded = quadrille.load(source, { lists: options.lists ?? 'own' });
            assert.equal(loaded.size, world.size);
            for (const layer of [0, 1, 2, 3]) assert.equal(loaded.sizeOf(1 << layer), world.sizeOf(1 << layer));
            for (let id = 0; id < 2100; id++) assert.deepEqual(world.has(id) && [...world.shape(id)], loaded.has(id) && [...loaded.shape(id)]);
            for (let round = 0; round < 50; round++) {
                const at = axes.map(() => below(64)), to = at.map((min) => min + below(12)), layers = [-1, 2, 9][round % 3];
                const [one, other] = [world, loaded].map((asked) => sorted(asked.window(...at, ...to, layers)));
                assert.deepEqual(one, other);
                if (entry !== 'lite') assert.deepEqual([...world.nearest(...at, { k: 5 }).distances], [...loaded.nearest(...at, { k: 5 }).distances]);
            }
            const again = quadrille.load(loaded.save());
            assert.equal(again.size, world.size);
            // It lives on.
            loaded.insert(loaded.addPointLayer(), 9000, ...axes.map(() => 1));
            assert.equal(loaded.move(9000, ...axes.map(() => 2)), true);
            loaded.free();
        }
        assert.equal(quadrille.load(quadrille.world(...axes.map(() => 0), ...axes.map(() => 1)).save()).size, 0);
    });
}

test('a world that was fitted keeps its extent', async () => {
    const { quadrille, world } = await filled('index', 2);
    assert.equal(world.fitWorld(), true);
    assert.deepEqual(quadrille.load(world.save()).save().subarray(32, 64), world.save().subarray(32, 64));
});

test('torn bytes are refused, each of them, and no world is left behind', async () => {
    const { quadrille, world } = await filled('index', 2), bytes = world.save(), below = random(3);
    const refused = (source, pattern = /^bytes/) => assert.throws(() => quadrille.load(source), (error) => (error instanceof RangeError || error instanceof TypeError) && pattern.test(error.message));
    for (let round = 0; round < 400; round++) {
        const torn = bytes.slice();
        torn[below(torn.length)] ^= 1 << below(8);
        refused(torn);
    }
    for (const length of [0, 8, 31, 32, 40, bytes.length - 8, bytes.length - 1]) refused(bytes.subarray(0, length));
    refused(new Uint8Array(bytes.length));
    refused(Uint8Array.of(...bytes, 0, 0, 0, 0, 0, 0, 0, 0));
    for (const source of [null, undefined, 5, 'abc', [...bytes], {}]) refused(source);
    assert.throws(() => quadrille.load(bytes, { list: 'own' }), /has no "list": there are lists/);
    assert.throws(() => quadrille.load(bytes, { lists: 'copied' }), /lists must be/);
    const entry = async (name) => (await import(`../pkg/${name}.js`)).init();
    for (const name of ['f32', '3d']) {
        const other = await entry(name);
        assert.throws(() => other.load(bytes), { name: 'RangeError', message: /^bytes: they are of 2 dimensions and f64, and this module has / });
    }
    const torus = (await filled('periodic', 2, { periodic: true })).world.save();
    refused(torus, /quadrille\/periodic/);
    assert.equal((await entry('lite')).load(bytes).size, world.size);
});

/** The same sum as in saved.js, so that what is written by hand is read. */
function summed(bytes) {
    const words = new Uint32Array(bytes.buffer);
    words[7] = words.reduce((sum, word, at) => (at === 7 ? sum : Math.imul(sum ^ word, 0x01000193)), 0x811c9dc5) >>> 0;
    return bytes;
}

test('bytes that are whole but say what cannot be are refused, and no world is left behind', async () => {
    const { quadrille, world } = await filled('index', 2), bytes = world.save();
    const change = (at, value, Type = Uint32Array) => { const other = bytes.slice(); new Type(other.buffer)[at] = value; return summed(other); };
    assert.equal(quadrille.load(summed(bytes.slice())).size, world.size);
    const worlds = [], { world_free: free } = quadrille.exports;
    quadrille.exports = { ...quadrille.exports, world_free: (at) => { worlds.push(at); free(at); } };
    const wrong = [
        [0, 1], [1, 2], [2, 3], [3, 4], [4, 1], [5, 3], [5, 5], [5, 2 ** 32 - 1], [6, 9],
        [8, NaN, Float64Array], [4, Infinity, Float64Array], [4, 1e9, Float64Array],
        // The first layer: its kind, its count, its first id twice, its first corner.
        [16, 0], [17, 2 ** 31], [18, new Uint32Array(bytes.buffer)[19]], [18, 2 ** 26],
    ];
    for (const [at, value, Type] of wrong) assert.throws(() => quadrille.load(change(at, value, Type)), (error) => error instanceof RangeError || error instanceof TypeError, `${at}: ${value}`);
    assert.ok(worlds.length >= 2, 'worlds that were begun are freed');
    assert.equal(quadrille.load(bytes).size, world.size);
});

test('keys go in and come out in one call', async () => {
    const { Ids, init } = await import('../pkg/index.js'), ids = new Ids(), world = (await init()).world(0, 0, 10, 10);
    world.insertPoints(world.addPointLayer(), ids.addMany(['scout', 'mine', 'gate']), [1, 1, 2, 2, 9, 9]);
    assert.deepEqual(ids.keysOf(world.window(0, 0, 3, 3)).sort(), ['mine', 'scout']);
    assert.deepEqual([...ids.addMany(new Set(['gate', 'wall']))], [2, 3]);
    assert.deepEqual(ids.keysOf([3, 9]), ['wall', undefined]);
});
