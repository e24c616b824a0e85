// The package in a headless Chromium, on the page's thread and in a worker; skipped where there is none.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { NO_CHROMIUM, visit } from './chromium.mjs';

const FILES = {
    '/': `<script type="module">import { work } from '/work.js';
const here = await work(), worker = new Worker('/worker.js', { type: 'module' });
worker.onmessage = ({ data }) => fetch('/done', { method: 'POST', body: here + ' ' + data });
worker.onerror = ({ message }) => { throw new Error(message); };</script>`,
    '/work.js': `import { init } from '/pkg/index.js';
export async function work() {
    const world = (await init()).world(0, 0, 1000, 1000), points = world.addPointLayer();
    world.insertPoints(points, 0, Float64Array.from({ length: 2000 }, (_, at) => at >> 1));
    return [world.window(10, 10, 12, 12).length, world.nearest(500.2, 500, { k: 1 }).ids[0]].join();
}`,
    '/worker.js': "import { work } from '/work.js'; postMessage(await work());",
};

test('in Chromium', { timeout: 300_000, skip: NO_CHROMIUM }, async () => {
    const read = (path) => FILES[path] ?? (/^\/pkg\/[\w-]+\.(js|wasm)$/.test(path) ? readFileSync(new URL(`..${path}`, import.meta.url)) : undefined);
    assert.equal(await visit(read), '3,500 3,500');
});
