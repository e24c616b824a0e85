// Programs of Node in CommonJS, which cannot wait for a module to start.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

for (const [entry, dimensions] of [['quadrille', 2], ['quadrille/f32', 2], ['quadrille/3d', 3], ['quadrille/3d-f32', 3], ['quadrille/lite', 2], ['quadrille/periodic', 2]]) {
    test(`require of ${entry}`, async () => {
        const { init, initSync, Ids } = require(entry);
        assert.equal(new Ids().add('scout'), 0);
        const corner = (at) => Array(dimensions).fill(at);
        for (const quadrille of [initSync(), await init()]) {
            const world = quadrille.world(...corner(0), ...corner(100)), points = world.addPointLayer();
            world.insertPoints(points, 0, [...corner(10), ...corner(50)]);
            assert.deepEqual([...world.window(...corner(9), ...corner(11))], [0]);
        }
        assert.throws(() => initSync(new Uint8Array([1, 2])), WebAssembly.CompileError);
    });
}

test('initSync of an ES module takes bytes or a compiled module', async () => {
    const { initSync } = await import('quadrille');
    const bytes = readFileSync(new URL('../pkg/index.wasm', import.meta.url));
    for (const source of [bytes, new WebAssembly.Module(bytes)]) assert.equal(initSync(source).world(0, 0, 1, 1).size, 0);
    assert.throws(() => initSync(), TypeError);
});

test('a class in CommonJS extends that of rbush, and has an `insert` of its own', () => {
    const page = readFileSync(new URL('../../../docs/guide/web.md', import.meta.url), 'utf8');
    const [, program] = page.slice(page.indexOf('### From rbush')).match(/^```js\n(.*?)^```/ms), [, told] = program.match(/ \/\/ ([^/]*)\n$/);
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=commonjs', '--eval', program], { encoding: 'utf8', cwd: import.meta.dirname });
    assert.equal(stdout, `${told}\n`, stderr);
});

const TYPED = `import RBush, { type BBox } from 'quadrille/rbush';
import { initSync } from 'quadrille/lite';
import { init, type World } from 'quadrille';

class System<T extends BBox> extends RBush<T> {
    data!: { children: T[] };
    insert(item: T) { return super.move(item); }
}
const ids: Uint32Array = initSync().world(0, 0, 1, 1).window(0, 0, 1, 1);
init().then((quadrille): World => quadrille.world(0, 0, 1, 1));
export const all: BBox[] = new System<BBox>().insert({ minX: 0, minY: 0, maxX: 1, maxY: ids.length }).all();
// @ts-expect-error
export const wrong = () => new System<BBox>().insert(1);
`;

for (const options of ['--module nodenext', '--module commonjs --moduleResolution node10']) test(`types for CommonJS: ${options}`, () => {
    const root = mkdtempSync(join(tmpdir(), 'quadrille-commonjs-'));
    try {
        mkdirSync(join(root, 'node_modules'));
        symlinkSync(fileURLToPath(new URL('..', import.meta.url)), join(root, 'node_modules', 'quadrille'), 'dir');
        writeFileSync(join(root, 'program.ts'), TYPED);
        const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
        const { stdout } = spawnSync(process.execPath, [compiler, ...options.split(' '), '--target', 'es2020', '--lib', 'esnext,dom', '--strict', '--esModuleInterop', join(root, 'program.ts')], { encoding: 'utf8' });
        assert.equal(stdout, '');
        const { stderr, status } = spawnSync(process.execPath, [join(root, 'program.js')], { encoding: 'utf8' });
        assert.equal(status, 0, stderr);
    } finally {
        rmSync(root, { recursive: true });
    }
});
