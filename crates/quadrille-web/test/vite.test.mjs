// An application of each entry, as Vite packs it, in a headless Chromium: on the page's thread and in a worker.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { NO_CHROMIUM, visit } from './chromium.mjs';

const FILES = {
    'index.html': '<script type="module" src="./main.js"></script>',
    'main.js': `import { ask } from './ask.js';
import RBush from 'quadrille/rbush';

const tree = new RBush().load([{ minX: 1, minY: 1, maxX: 2, maxY: 2 }]), found = tree.search({ minX: 2, minY: 2, maxX: 3, maxY: 3 }).length;
const here = await ask(), worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
worker.onmessage = ({ data }) => fetch('/done', { method: 'POST', body: JSON.stringify({ here, worker: data, found }) });
worker.onerror = ({ message }) => { throw new Error(message); };
`,
    'ask.js': `import { init } from 'quadrille';
import { init as initF32 } from 'quadrille/f32';

// A number that 32 bits do not hold tells the two modules apart.
export async function ask() {
    const answers = [];
    for (const quadrille of [await init(), await initF32()]) {
        const world = quadrille.world(0, 0, 100, 100), points = world.addPointLayer();
        world.insertPoints(points, 0, [0.1, 50, 60, 50]);
        answers.push([...world.window(0, 0, 0.1, 100)].length, world.shape(0)[0], world.nearest(55, 50).ids[0]);
    }
    return answers;
}
`,
    'worker.js': "import { ask } from './ask.js';\n\npostMessage(await ask());\n",
};
const ANSWERS = [1, 0.1, 1, 1, Math.fround(0.1), 1];

/** The application in a folder of its own, with the package where npm would lay it. */
function application() {
    const root = mkdtempSync(join(tmpdir(), 'quadrille-vite-'));
    for (const [name, content] of Object.entries(FILES)) writeFileSync(join(root, name), content);
    mkdirSync(join(root, 'node_modules'));
    symlinkSync(fileURLToPath(new URL('..', import.meta.url)), join(root, 'node_modules', 'quadrille'), 'dir');
    return root;
}

test('packed by Vite', { timeout: 300_000 }, async (t) => {
    const root = application();
    try {
        await build({ root, configFile: false, logLevel: 'error', build: { target: 'esnext' }, worker: { format: 'es' } });
        const assets = readdirSync(join(root, 'dist', 'assets')), modules = assets.filter((name) => name.endsWith('.wasm'));
        // One for each entry that is used, whoever imports it; none of the others.
        assert.deepEqual(modules.map((name) => name.split('-')[0]).sort(), ['f32', 'index']);
        if (NO_CHROMIUM) return t.skip(`it was packed, but not run: ${NO_CHROMIUM}`);
        const told = await visit((path) => {
            const file = join(root, 'dist', path === '/' ? 'index.html' : path);
            return existsSync(file) ? readFileSync(file, path === '/' ? 'utf8' : undefined) : undefined;
        });
        assert.deepEqual(JSON.parse(told), { here: ANSWERS, worker: ANSWERS, found: 1 });
    } finally {
        rmSync(root, { recursive: true });
    }
});
