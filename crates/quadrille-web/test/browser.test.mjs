// The package in a headless Chromium, on the page's thread and in a worker; skipped where there is none.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const WORK = `import { init } from '/pkg/index.js';
export async function work() {
    const world = (await init()).world(0, 0, 1000, 1000), points = world.addPointLayer();
    world.insertPoints(points, 0, Float64Array.from({ length: 2000 }, (_, at) => at >> 1));
    return [world.window(10, 10, 12, 12).length, world.nearest(500.2, 500, { k: 1 }).ids[0]].join();
}`;
const FILES = {
    '/': `<script type="module">import { work } from '/work.js';
const here = await work(), worker = new Worker('/worker.js', { type: 'module' });
worker.onmessage = ({ data }) => fetch('/done?here=' + here + '&worker=' + data);
addEventListener('unhandledrejection', ({ reason }) => fetch('/done?' + reason));</script>`,
    '/work.js': WORK,
    '/worker.js': "import { work } from '/work.js'; postMessage(await work());",
};
const TYPES = { js: 'text/javascript', wasm: 'application/wasm' };

test('in Chromium', { timeout: 60_000, skip: !existsSync(CHROMIUM) && `there is no ${CHROMIUM}` }, async () => {
    let done;
    const told = new Promise((resolve) => { done = resolve; });
    const server = createServer(({ url }, response) => {
        if (url.startsWith('/done')) done(url);
        const body = FILES[url] ?? (/^\/pkg\/[\w-]+\.(js|wasm)$/.test(url) ? readFileSync(new URL(`..${url}`, import.meta.url)) : undefined);
        response.writeHead(body ? 200 : 404, { 'content-type': TYPES[url.split('.')[1]] ?? 'text/html' }).end(body);
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const profile = mkdtempSync(join(tmpdir(), 'quadrille-'));
    let browser;
    try {
        browser = spawn(CHROMIUM, ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update',
            `--user-data-dir=${profile}`, `http://127.0.0.1:${server.address().port}/`], { stdio: 'ignore' });
        assert.equal(await told, '/done?here=3,500&worker=3,500');
    } finally {
        browser?.kill();
        server.closeAllConnections();
        server.close();
    }
});
