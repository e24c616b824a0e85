// The page in a headless Chromium, at the size of a desk's screen and of a phone's; skipped where there is none. It takes pictures into
// the folder SCREENSHOTS, which is one of the system's for temporary files if not given.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const skip = !existsSync(CHROMIUM) && `there is no ${CHROMIUM}`;
const SHOTS = process.env.SCREENSHOTS ?? join(tmpdir(), 'quadrille-demo');
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.woff2': 'font/woff2' };
/** Milliseconds for one step, on a machine that is busy with other things. */
const PATIENCE = 120_000;
const DESK = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };
let server, browser, problems;

before(async () => {
    if (skip) return;
    mkdirSync(SHOTS, { recursive: true });
    // Any host, and not at its root.
    server = createServer(({ url }, response) => {
        const file = new URL(`../dist${url.replace(/^\/some\/place/, '').replace(/\?.*/, '').replace(/\/$/, '/index.html')}`, import.meta.url);
        const isThere = url.startsWith('/some/place/') && existsSync(file);
        response.writeHead(isThere ? 200 : 404, { 'content-type': TYPES[extname(file.pathname)] ?? 'text/plain' }).end(isThere && readFileSync(file));
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
});

after(async () => {
    await browser?.close();
    server?.close();
});

async function open(settings, query = '', prepare = () => {}) {
    const page = await (await browser.newContext(settings)).newPage();
    page.setDefaultTimeout(PATIENCE);
    problems = [];
    page.on('console', (message) => { if (message.type() === 'error') problems.push(message.text()); });
    page.on('pageerror', (error) => problems.push(error.message));
    await page.addInitScript(prepare);
    await page.goto(`http://127.0.0.1:${server.address().port}/some/place/${query}`);
    return page;
}

const started = (page, frames = 10) => page.waitForFunction((count) => window.demo?.frames > count, frames);
/** The page has looked at each engine by itself: until then a button may be on by the page's own choice. */
const looked = (page) => page.waitForFunction(() => demo.name === 'quadrille' && demo.times.medians('scan'));
const zones = (page) => page.evaluate(() => demo.zones.list.length);

/** Compares the answer of each zone with a scan of everything, in the same frame. */
async function checkZones(page) {
    const counts = await page.evaluate(() => {
        const { scene: { count, places }, zones: { list, lit } } = demo;
        const path = (ring) => {
            const shape = new Path2D();
            for (let at = 0; at < ring.length; at += 2) shape.lineTo(ring[at], ring[at + 1]);
            shape.closePath();
            return shape;
        };
        const context = document.createElement('canvas').getContext('2d');
        return list.map(({ ring, slot, inside }) => {
            const shape = path(ring);
            let scanned = 0, shining = 0;
            for (let id = 0; id < count; id++) {
                scanned += context.isPointInPath(shape, places[2 * id], places[2 * id + 1], 'evenodd');
                shining += lit[id] >> slot & 1;
            }
            return { inside, scanned, shining };
        });
    });
    for (const { inside, scanned, shining } of counts) {
        assert.equal(shining, inside);
        // A path of the browser is not exact at its edges.
        assert.ok(Math.abs(scanned - inside) <= 2, `${inside} in the zone, ${scanned} by a scan`);
    }
    assert.ok(counts.some(({ inside }) => inside > 20), JSON.stringify(counts));
}

/** Waits until something has entered the last zone, and sees that it glows. */
async function seeItLightUp(page) {
    await page.waitForFunction(() => demo.zones.list.at(-1).entered > 0 && demo.zones.list.at(-1).glow > 0);
    await checkZones(page);
}

test('a desk: mouse, keys, engines, cells, count', { skip, timeout: 300_000 }, async () => {
    const page = await open(DESK, '?count=20000');
    await started(page);
    assert.equal(await zones(page), 2);
    await page.mouse.move(300, 500);
    await page.mouse.down();
    for (let turn = 0; turn < 2 * Math.PI; turn += 0.3) await page.mouse.move(400 - 100 * Math.cos(turn), 500 + 90 * Math.sin(turn));
    await page.mouse.up();
    assert.equal(await zones(page), 3);
    await seeItLightUp(page);

    await looked(page);
    for (const name of ['flatbush', 'rbush', 'scan', 'quadrille']) {
        await page.getByRole('radio', { name }).check();
        await page.waitForFunction((engine) => demo.name === engine && demo.times.medians(engine), name);
        await seeItLightUp(page);
        assert.equal(await page.getByRole('checkbox', { name: 'Cells' }).isDisabled(), ['flatbush', 'scan'].includes(name));
    }
    await page.waitForFunction(() => [...document.querySelectorAll('#engines .number')].every((time) => Number(time.textContent) > 0));

    await page.getByRole('checkbox', { name: 'Cells' }).check();
    await page.waitForFunction(() => demo.cells?.depths.length > 100);
    await page.screenshot({ path: join(SHOTS, 'desk-cells.png') });

    await page.locator('#world').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    assert.equal(await zones(page), 4);
    await seeItLightUp(page);
    await page.keyboard.press('Backspace');
    assert.equal(await zones(page), 3);
    await page.getByRole('button', { name: 'Clear shapes' }).click();
    assert.equal(await zones(page), 0);

    await page.getByRole('slider').press('Home');
    assert.equal(await page.evaluate(() => demo.scene.count), 1000);
    assert.equal(await page.locator('#counted').textContent(), '1,000');
    await page.setViewportSize({ width: 900, height: 700 });
    await page.waitForFunction(() => demo.painter.width === 900 && Math.abs(demo.scene.width / demo.scene.height - 9 / 7) < 0.01);
    assert.deepEqual(problems, []);
    await page.context().close();
});

test('a phone: fingers, and a sheet that leaves room', { skip, timeout: 300_000 }, async () => {
    const page = await open(PHONE, '?count=20000');
    await started(page);
    const touch = await page.context().newCDPSession(page);
    const at = (turn) => [{ x: 200 - 90 * Math.cos(turn), y: 560 + 80 * Math.sin(turn) }];
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0) });
    for (let turn = 0.3; turn < 2 * Math.PI; turn += 0.3) await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(turn) });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.waitForFunction(() => demo.zones.list.length === 3);
    await seeItLightUp(page);

    const [world, card] = [await page.locator('#world').boundingBox(), await page.locator('#card').boundingBox()];
    assert.ok(world.y + world.height <= card.y + 1 && world.height > 700, JSON.stringify([world, card]));
    // Not by taps: on a busy machine these are long presses.
    await page.getByRole('button', { name: 'Unfold the card' }).click();
    await looked(page);
    await page.getByRole('radio', { name: 'flatbush' }).check();
    await page.waitForFunction(() => demo.name === 'flatbush');
    await seeItLightUp(page);
    await page.screenshot({ path: join(SHOTS, 'phone-sheet.png') });
    assert.deepEqual(problems, []);
    await page.context().close();
});

test('a small window: the card leaves room, and says what a frame costs by other means', { skip, timeout: 300_000 }, async () => {
    const page = await open({ viewport: { width: 800, height: 600 } }, '?count=5000');
    await page.waitForFunction(() => /^a frame: [\d.]+ ms, flatbush [\d.]+, rbush [\d.]+, scan [\d.]+$/.test(document.querySelector('#versus').textContent), undefined);
    await page.waitForFunction(() => demo.name === 'quadrille');
    const card = await page.locator('#card').boundingBox();
    assert.ok(card.width * card.height < 0.1 * 800 * 600, JSON.stringify(card));
    assert.ok(await page.locator('#versus').isVisible());
    assert.ok(await page.evaluate(() => demo.zones.list.every(({ entered, left }) => entered > 0 && left > 0)));
    await checkZones(page);
    assert.deepEqual(problems, []);
    await page.context().close();
});

test('a hundred thousand at both sizes', { skip, timeout: 300_000 }, async () => {
    for (const [name, settings] of Object.entries({ desk: DESK, phone: PHONE })) {
        const page = await open(settings, '?verify');
        await started(page, 60);
        assert.equal(await page.evaluate(() => demo.scene.count), 100_000);
        assert.match(await page.locator('#verified').textContent(), /^2160 answers .* agree with a scan$/);
        await checkZones(page);
        await page.screenshot({ path: join(SHOTS, `${name}.png`) });
        assert.deepEqual(problems, []);
        await page.context().close();
    }
});

test('who asks for less motion finds it paused', { skip, timeout: 300_000 }, async () => {
    const page = await open({ ...DESK, reducedMotion: 'reduce' }, '?count=1000');
    await started(page);
    const time = () => page.evaluate(() => demo.scene.time);
    assert.equal(await time(), 0);
    await page.getByRole('button', { name: 'Play' }).click();
    await page.waitForFunction(() => demo.scene.time > 10);
    assert.deepEqual(problems, []);
    await page.context().close();
});

test('who opens the file itself is told to serve it', { skip, timeout: 300_000 }, async () => {
    const page = await browser.newPage();
    await page.goto(new URL('../dist/index.html', import.meta.url).href);
    assert.match(await page.locator('body').innerText(), /^This page needs a server: .*`npm run demo` serves it/);
    await page.close();
});

test('a browser without SIMD is told so', { skip, timeout: 300_000 }, async () => {
    const page = await open(DESK, '', () => { WebAssembly.validate = () => false; });
    await page.getByRole('alert').waitFor();
    assert.match(await page.getByRole('alert').textContent(), /^This page cannot run here: quadrille needs WebAssembly with SIMD: Chrome 91/);
    await page.context().close();
});
