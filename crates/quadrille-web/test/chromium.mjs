// A page in a headless Chromium that says how it went.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** Why there is no browser, if there is none. */
export const NO_CHROMIUM = !existsSync(CHROMIUM) && `there is no ${CHROMIUM}`;
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];
const TYPES = { js: 'text/javascript', mjs: 'text/javascript', wasm: 'application/wasm', css: 'text/css' };
/** With these a page may use precise clocks. */
const ISOLATED = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };

/**
 * Opens `/` of what `read` serves: the body of a path, or `undefined`. Resolves with what the page posts to `/done`; `hear` gets what
 * it posts elsewhere. An error of the page ends it too.
 */
export async function visit(read, { flags = [], hear = () => {} } = {}) {
    let done;
    const told = new Promise((resolve) => { done = resolve; });
    const server = createServer(async (request, response) => {
        const path = request.url.split('?')[0];
        if (request.method === 'POST') {
            const body = await text(request);
            response.end();
            return path === '/done' ? done(body) : hear(body);
        }
        const body = read(path);
        response.writeHead(body === undefined ? 404 : 200, { ...ISOLATED, 'content-type': TYPES[path.split('.').at(-1)] ?? 'text/html' });
        response.end(path === '/' ? ERRORS + body : body);
    });
    await new Promise((listening) => { server.listen(0, '127.0.0.1', listening); });
    const profile = mkdtempSync(join(tmpdir(), 'quadrille-')), address = `http://127.0.0.1:${server.address().port}/`;
    const browser = spawn(CHROMIUM, [...FLAGS, ...flags, `--user-data-dir=${profile}`, address], { stdio: 'ignore' });
    const ended = new Promise((exit) => { browser.on('exit', exit); });
    try {
        return await Promise.race([told, ended.then((code) => { throw new Error(`${CHROMIUM} ended with ${code}`); })]);
    } finally {
        browser.kill();
        server.closeAllConnections();
        server.close();
        await ended;
        // Some of its processes may still write there: then it stays behind.
        await rm(profile, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
    }
}

const ERRORS = `<!doctype html><script>
const failed = (reason) => fetch('/done', { method: 'POST', body: 'error: ' + (reason?.stack ?? reason) });
addEventListener('error', ({ error, message }) => failed(error ?? message));
addEventListener('unhandledrejection', ({ reason }) => failed(reason));
</script>`;
