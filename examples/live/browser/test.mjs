// Opens the live map in a browser, uses it as a hand would, and compares what the page holds with linear scans of the server.
//
//   node test.mjs PROGRAM [FOLDER]    the program `live`; the folder for screenshots

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { BROWSER, FLAGS } from "./chromium.mjs";
import { Server } from "./server.mjs";

const [program, folder = "target/live"] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
// The goal is for 66; a build that is not optimized has enough to do with fewer.
const TRAFFIC = process.env.TRAFFIC ?? "20";
/** So few that each is listed on a map of the country. */
const FEW = ["--traffic", "1"];
/** Milliseconds between two frames of a view: the goal on a machine that is not busy, and a stall on any machine. Before zones
 * had an allowance, sixteen costly ones took 26 seconds. */
const GOAL = 300, STALL = 5000;
const problems = [];
let server, page;

/** What the page holds: read in one go, so that all of it is of one tick. */
const held = () => page.evaluate(() => {
  const { mirror, asked, zoneNumber, selected, shape, connections, errors, isConnected } = window.live;
  const aircraft = mirror.aircraft;
  const list = Array.from({ length: aircraft.count }, (_, at) =>
    [aircraft.ids[at], aircraft.numbers[at], aircraft.x[at], aircraft.y[at]]);
  const standing = mirror.standing.slice(1).map((objects) => [...objects].map(([id, [number]]) => [id, number]));
  const crowd = mirror.crowds[0] && { ...mirror.crowds[0], clusters: mirror.crowds[0].clusters.map(({ count }) => count) };
  const zone = { ...mirror.zone, members: [...mirror.zone.members.keys()] };
  return { tick: mirror.tick, view: mirror.view, asked, list, standing, crowd, zone, zoneNumber, selected, shape, connections,
    errors, isConnected, cells: mirror.cellCounts.length, airborne: mirror.airborne };
});

/** Waits until the page holds the answer to its last question, at the tick at which the server has stopped. */
async function settled({ tick }) {
  await page.waitForFunction((tick) => {
    const { mirror, asked, shape, zoneNumber } = window.live, { zone } = mirror;
    return mirror.tick === tick && asked.every((number, at) => Math.fround(number) === mirror.view[at])
      && (!shape || (zone.number === zoneNumber && !zone.unfinished)) && Math.abs(window.live.map.box()[0] - asked[0]) < 1e-9;
  }, tick);
  // The last question is answered in the next round at the latest, and a costly zone after as many ticks as it takes.
  const ticks = await page.evaluate(() => (window.live.shape ? window.live.mirror.zone.ticks : 1));
  // Clusters are sent twice a second.
  const isCrowd = await page.evaluate(() => window.live.mirror.crowds[0] !== null);
  await page.waitForTimeout(Math.max(250 * Math.max(1, ticks), isCrowd ? 1200 : 0));
  return held();
}

const scale = () => page.evaluate(() => window.live.map.scale);

const numbers = (list) => list.map(([id]) => id).sort((a, b) => a - b);

/** Pauses the server, compares all that the page shows with linear scans, and lets it go on. */
async function compare(name) {
  const paused = await server.ask("pause");
  const page = await settled(paused);
  const scan = await server.scan({ rect: page.view });
  assert.equal(scan.tick, page.tick);
  if (page.crowd) {
    assert.equal(page.crowd.count, scan.aircraft.length, name);
    assert.deepEqual(page.crowd.clusters, byCells(scan.aircraft, page.crowd.side), name);
  } else {
    assert.deepEqual(page.list.map(([id, number]) => [id, number]), scan.aircraft.map(([id, number]) => [id, number]), name);
    const half = [page.view[2] - page.view[0], page.view[3] - page.view[1]].map((size) => 0.51 * size / 65535 + 2e-5);
    page.list.forEach(([, , x, y], at) => {
      const [, , place] = scan.aircraft[at];
      assert.ok(Math.abs(x - place[0]) <= half[0] && Math.abs(y - place[1]) <= half[1], `${name}: ${[x, y]} is not ${place}`);
    });
  }
  const [airports, counties, states] = page.standing;
  if (airports.length > 0) assert.deepEqual(numbers(airports), numbers(scan.airports), name);
  const regions = [...counties, ...states].map(([, number]) => number).sort((a, b) => a - b);
  if (counties.length > 0 && states.length > 0) assert.deepEqual(regions, scan.regions, name);
  let members = 0;
  if (page.shape) {
    const zone = await server.scan(page.shape);
    assert.deepEqual(page.zone.members.sort((a, b) => a - b), numbers(zone.aircraft), `${name}: the zone`);
    assert.equal(page.zone.count, zone.aircraft.length);
    members = zone.aircraft.length;
  }
  await server.ask("resume");
  const shown = page.crowd ? `a crowd of ${page.crowd.count}` : `${page.list.length} aircraft`;
  console.log(`ok  ${name}: ${shown}, ${airports.length} airports, ${regions.length} regions, ${members} in the zone`);
  return { ...page, scan };
}

/** How many are in each cell, row by row. */
function byCells(aircraft, side) {
  // Rounded as by the index, whose coordinates are f32.
  const { fround } = Math, scale = fround(2 ** 30 / 360), cells = 360 / side / 2 ** 30;
  const counts = new Map();
  for (const [, , place] of aircraft) {
    const [column, row] = place.map((number) => Math.floor(fround(fround(fround(number) + 180) * scale) * cells)), key = row * 1e6 + column;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => a - b).map(([, count]) => count);
}

/** A polygon of 256 corners over all of the country, whose edges cross each other: nothing costs more that may be asked. */
const STAR = Array.from({ length: 256 }, (_, corner) => corner * Math.PI * (1 - 1 / 256))
  .map((turn) => [-96 + 30 * Math.cos(turn), 42 + 20 * Math.sin(turn)]);

async function drag(from, to, steps = 12) {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to, { steps });
  await page.mouse.up();
}

const shoot = (name) => page.screenshot({ path: join(folder, `${name}.png`) });
const text = (id) => page.locator(id).innerText();

/** The first ten seconds: thousands with trails, a zone that counts, airports that count, the cost of a frame, and clusters farther off. */
async function opensOnMany(browser, settings, name) {
  await server.kill();
  server.options = [];
  await server.start();
  page = await browser.newPage(settings);
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(server.address);
  await page.waitForFunction(() => window.live?.mirror.tick > 0 && window.live.mirror.zone.came > 20 && window.live.mirror.zone.gone > 20);
  // While all is paused the trails end.
  const light = await page.evaluate(() => window.live.map.trails.pixels.reduce((sum, pixel) => sum + (pixel !== 0), 0));
  const { list, shape, zone } = await compare(`opens on many, ${name}`);
  assert.ok(2000 < list.length && list.length <= 20_000, `${list.length} are shown`);
  assert.ok(shape.circle && 200 < zone.count, `${zone.count} in the zone`);
  const [lit, members] = await page.evaluate(() => {
    const { aircraft, zone } = window.live.mirror;
    return [aircraft.lit.reduce((a, b) => a + b, 0), [...zone.members.keys()].filter((id) => aircraft.find(id) >= 0).length];
  });
  assert.equal(lit, members);
  assert.ok(4 * list.length < light, `${light} pixels of ${list.length} aircraft and their trails`);
  await page.locator("#cost").waitFor();
  for (const way of ["own", "scan", "rebuilt"]) assert.match(await text(`#${way}-time`), /^[\d.]+ (µs|ms)$/);
  await countsAround();
  await shoot(`first-${name}`);
  for (let step = 0; step < 8 && await page.evaluate(() => window.live.mirror.crowds[0] === null); step++) {
    await page.keyboard.press("-");
    await page.waitForTimeout(1000);
  }
  const far = await compare(`farther off, ${name}`);
  await shoot(`clusters-${name}`);
  for (let step = 0; step < 2; step++) await page.keyboard.press("-");
  const farther = await compare(`farther still, ${name}`);
  assert.ok(far.crowd.side < farther.crowd.side && far.crowd.clusters.length > 40);
  await page.close();
}

/** Who asks for less motion sees no trails, and nothing between ticks. */
async function movesLess(browser) {
  page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
  await page.goto(server.address);
  await page.waitForFunction(() => window.live?.mirror.tick > 5 && window.live.mirror.aircraft.count > 0);
  const { light, count, isSmooth } = await page.evaluate(() => {
    const { map, mirror } = window.live, light = map.trails.pixels.reduce((sum, pixel) => sum + (pixel !== 0), 0);
    return { light, count: mirror.aircraft.count, isSmooth: map.isSmooth(mirror) };
  });
  assert.ok(count < light && light <= 4 * count && !isSmooth, `${light} pixels of ${count} aircraft`);
  console.log("ok  moves less for whoever asks for that");
  await page.close();
}

/** The number beside an airport is that of the aircraft within 50 km. */
async function countsAround() {
  await server.ask("pause");
  await page.waitForTimeout(1200);
  const { center, count } = await page.evaluate(() => {
    const { map, mirror } = window.live, served = [...mirror.standing[1].values()].filter(([number]) => map.ranks.has(number));
    const [[number, ...center]] = served.sort((a, b) => map.ranks.get(a[0]) - map.ranks.get(b[0]));
    return { center, count: map.around[number] };
  });
  const latitude = Math.atan(Math.sinh(center[1] * Math.PI / 180)), radius = 50 / 111.2 / Math.cos(latitude);
  const scan = await server.scan({ circle: { center, radius } });
  assert.ok(Math.abs(scan.aircraft.length - count) <= 1, `${count} are around, ${scan.aircraft.length} by a scan`);
  await server.ask("resume");
}

async function opens(browser) {
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(server.address) && !request.url().startsWith("data:")) problems.push(`fetches ${request.url()}`);
  });
  await page.goto(server.address);
  await page.waitForFunction(() => window.live?.mirror.tick > 0);
  const { list } = await compare("opens");
  assert.ok(list.length > 1000);
}

async function moves() {
  const before = await held();
  await page.waitForFunction((tick) => window.live.mirror.tick > tick + 10, before.tick);
  const after = await held();
  const places = new Map(before.list.map(([id, , x, y]) => [id, [x, y]]));
  const moved = after.list.filter(([id, , x, y]) => places.has(id) && (places.get(id)[0] !== x || places.get(id)[1] !== y));
  assert.ok(moved.length > 0.9 * before.list.length, `${moved.length} of ${before.list.length} have moved`);
  console.log(`ok  moves: ${moved.length} aircraft`);
}

async function pansAndZooms() {
  await drag([700, 500], [480, 560]);
  await compare("pans");
  await page.mouse.move(700, 420);
  for (let turn = 0; turn < 4; turn++) await page.mouse.wheel(0, -300);
  await compare("zooms in");
  await page.mouse.wheel(0, 300);
  const { list } = await compare("zooms out");
  assert.ok(list.length > 50);
  await page.keyboard.press("-");
  await compare("zooms out by a key");
}

async function switchesLayers() {
  await page.getByLabel("counties", { exact: true }).check();
  const all = await compare("shows counties");
  assert.ok(all.standing[1].length > 100);
  await page.getByLabel("airports", { exact: true }).uncheck();
  await page.getByLabel("aircraft", { exact: true }).uncheck();
  await page.waitForFunction(() => window.live.mirror.aircraft.count === 0 && window.live.mirror.standing[1].size === 0);
  await page.getByLabel("aircraft", { exact: true }).check();
  await page.getByLabel("airports", { exact: true }).check();
  await page.waitForFunction(() => window.live.mirror.aircraft.count > 0 && window.live.mirror.standing[1].size > 0);
  await compare("switches layers off and on");
  await page.getByLabel("cells of the tree", { exact: true }).check();
  await page.waitForFunction(() => window.live.mirror.cellCounts.length > 3);
  console.log(`ok  shows ${(await held()).cells} cells of the tree`);
}

async function selects() {
  const paused = await server.ask("pause");
  const { list } = await settled(paused);
  const [middle] = list.map(([id, , x, y]) => ({ id, at: [x, y] }))
    .map((aircraft) => ({ ...aircraft, far: Math.random() })).sort((a, b) => a.far - b.far)
    .filter(({ at }) => at !== null);
  const target = await page.evaluate(({ at }) => window.live.map.toScreen(at), middle);
  const free = 380 < target[0] && target[0] < 980 && 20 < target[1] && target[1] < 780;
  if (!free) {
    await server.ask("resume");
    return selects();
  }
  await page.mouse.click(...target);
  await page.waitForFunction(() => window.live.selected !== null);
  const { selected } = await held();
  const nearest = await server.ask("nearest", String(selected.id));
  assert.equal(nearest.tick, paused.tick);
  assert.ok(Math.abs(selected.airport.km - nearest.airport[1]) < 1e-6);
  assert.equal(selected.neighbors.length, nearest.neighbors.length);
  selected.neighbors.forEach(({ km }, at) => assert.ok(Math.abs(km - nearest.neighbors[at][1]) < 1e-6));
  // It is the nearest to the click, by a scan of all.
  const clicked = await page.evaluate((at) => window.live.map.toMap(at), target.map(Math.floor));
  const away = ([x, y]) => Math.hypot(x - clicked[0], y - clicked[1]);
  const least = Math.min(...list.map(([, , x, y]) => away([x, y])));
  assert.ok(away(selected.place) - least < 0.05, `${away(selected.place)} away, but the nearest is ${least} away`);
  assert.equal(await text("#flight"), selected.name);
  assert.equal(await text("#over"), `over ${nearest.over ?? "no county"}`);
  assert.ok((await text("#airport")).startsWith(selected.airport.name));
  assert.equal(await page.locator("#neighbors li").count(), nearest.neighbors.length);
  await server.ask("resume");
  console.log(`ok  selects ${selected.name}: ${await text("#airport")}; ${selected.neighbors.length} neighbors`);
}

async function drawsZones() {
  await page.getByRole("button", { name: "Rectangle" }).click();
  await drag([520, 200], [900, 600]);
  const rect = await compare("draws a rectangle");
  assert.ok(rect.shape.rect && rect.zone.count > 10);
  await page.getByRole("button", { name: "Circle" }).click();
  await drag([700, 400], [860, 460]);
  assert.ok((await compare("draws a circle")).shape.circle);
  await page.getByRole("button", { name: "Polygon" }).click();
  for (const corner of [[450, 300], [880, 210], [760, 420], [900, 640]]) await page.mouse.click(...corner, { delay: 20 });
  await page.mouse.dblclick(500, 560);
  const polygon = await compare("draws a polygon");
  assert.equal(polygon.shape.polygon.length, 5);
  await page.waitForTimeout(600);
  assert.match(await text("#zone-count"), /^[\d,]+ aircraft in the zone$/);
  // Its count is live.
  const { zone } = await held();
  await page.waitForFunction((old) => {
    const now = [...window.live.mirror.zone.members.keys()];
    return now.length !== old.length || now.some((id) => !old.includes(id));
  }, zone.members, { timeout: 60_000 });
  await compare("the polygon after a while");
  await shoot("zone");
}

/** Nothing costs more than this zone; it is told so, and what it becomes in the end is right. */
async function drawsAStar() {
  await page.evaluate((polygon) => window.live.draw({ polygon }), STAR);
  const star = await compare("draws a star of 256 corners");
  assert.ok(100 < star.zone.count);
}

async function findsHome() {
  for (let turn = 0; turn < 12; turn++) await page.mouse.wheel(0, -600);
  await page.mouse.move(640, 400);
  await drag([640, 400], [200, 100]);
  await page.waitForFunction(() => !document.getElementById("empty").hidden, null, { timeout: 10_000 });
  await page.getByRole("button", { name: "Home" }).click();
  await page.waitForFunction(() => document.getElementById("empty").hidden);
  const { list } = await compare("finds home from nowhere");
  assert.ok(1000 < list.length);
  const before = await scale();
  await page.getByRole("button", { name: "Zoom in" }).click();
  assert.ok(before * 1.4 < await scale());
  await page.getByRole("button", { name: "Zoom out" }).click();
}

async function survivesBadMessages() {
  const { errors } = await held();
  await page.evaluate(() => {
    window.live.send({ view: [5, 5, 1, 1] });
    window.live.send("nonsense");
    window.live.send({ zone: { number: 99, shape: { polygon: [[0, 0]] } } });
  });
  await page.waitForFunction((before) => window.live.errors.length === before + 3, errors.length);
  await compare("after bad messages");
}

async function comesBack() {
  const before = await held();
  await server.kill();
  await page.waitForFunction(() => !document.getElementById("banner").hidden);
  const banner = await text("#banner");
  assert.match(banner, /^Connection lost\. Trying again/);
  await shoot("lost");
  await page.waitForTimeout(1500);
  assert.ok(!(await held()).isConnected);
  await server.start();
  await page.waitForFunction((times) => window.live.connections === times + 1, before.connections, { timeout: 30_000 });
  await page.waitForFunction(() => document.getElementById("banner").hidden && window.live.mirror.tick > 0);
  const after = await compare("comes back after the server was killed and started again");
  assert.deepEqual(after.shape, before.shape);
}

async function noticesSilence() {
  const { connections } = await held();
  server.process.kill("SIGSTOP");
  await page.waitForFunction(() => !document.getElementById("banner").hidden);
  server.process.kill("SIGCONT");
  await page.waitForFunction((times) => window.live.connections > times, connections, { timeout: 30_000 });
  await page.waitForFunction(() => document.getElementById("banner").hidden && window.live.mirror.tick > 0);
  await compare("comes back after the server has hung");
}

async function closesAnother(browser) {
  const other = await browser.newPage();
  await other.goto(server.address);
  await other.waitForFunction(() => window.live?.mirror.tick > 0);
  assert.equal((await server.ask("status")).views.length, 2);
  await other.close();
  await page.waitForTimeout(500);
  assert.equal((await server.ask("status")).views.length, 1);
  await compare("goes on after another page has been closed");
}

async function isToldOfLimits(browser) {
  await page.close();
  await server.kill();
  server.options = [...FEW, "--views", "1"];
  await server.start();
  page = await browser.newPage();
  await page.goto(server.address);
  await page.waitForFunction(() => window.live?.mirror.tick > 0);
  const other = await browser.newPage();
  await other.goto(server.address);
  await other.waitForFunction(() => /too many views/.test(document.getElementById("banner").textContent));
  await page.close();
  await other.waitForFunction(() => window.live.isConnected, null, { timeout: 30_000 });
  console.log("ok  is told that there are too many views, and comes in when there is room");
  page = other;
}

/** Two fingers, from places to places. */
async function fingers(session, from, to, steps = 10) {
  const points = (part) => from.map(([x, y], id) => ({ id, x: x + (to[id][0] - x) * part, y: y + (to[id][1] - y) * part }));
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points(0) });
  for (let step = 1; step <= steps; step++) {
    await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: points(step / steps) });
  }
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

async function fitsAPhone(browser) {
  await page.close();
  await server.kill();
  server.options = FEW;
  await server.start();
  const context = await browser.newContext(PHONE);
  page = await context.newPage();
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(server.address);
  await page.waitForFunction(() => window.live?.mirror.tick > 0 && window.live.map.outlines);
  const header = await page.locator("header").boundingBox();
  assert.ok(header.height < 60, `the card is ${header.height} high`);
  await page.waitForTimeout(1200);
  await shoot("phone");
  const session = await context.newCDPSession(page);
  // Apart to twice the distance: twice the scale, and what was between the fingers is there still.
  const toMap = (at) => page.evaluate((at) => window.live.map.toMap(at), at);
  const [before, spot] = [await scale(), await toMap([200, 420])];
  await fingers(session, [[160, 420], [240, 420]], [[120, 420], [280, 420]]);
  const [after, place] = [await scale(), await toMap([200, 420])];
  assert.ok(Math.abs(after / before - 2) < 0.1, `the scale went from ${before} to ${after}`);
  assert.ok(Math.hypot(place[0] - spot[0], place[1] - spot[1]) * after < 6, `${spot} went to ${place}`);
  // Together again, and both to the right.
  await fingers(session, [[100, 400], [200, 500]], [[150, 450], [200, 500]]);
  assert.ok(await scale() < after * 0.6);
  assert.equal((await held()).selected, null);
  await compare("is pinched");
  // One finger pans, and a tap on an aircraft selects it.
  const [still, center] = [await scale(), await toMap([195, 422])];
  await fingers(session, [[200, 420]], [[260, 470]]);
  const panned = await toMap([255, 472]);
  assert.equal(await scale(), still);
  assert.ok(Math.hypot(panned[0] - center[0], panned[1] - center[1]) * still < 8, "a finger pans");
  await page.getByRole("button", { name: "Home" }).tap();
  await page.getByRole("button", { name: "Zoom in" }).tap();
  await compare("is led home by a finger");
  await server.ask("pause");
  const target = await page.evaluate(() => {
    const { map, mirror: { aircraft } } = window.live;
    const all = Array.from({ length: aircraft.count }, (_, at) => map.toScreen([aircraft.x[at], aircraft.y[at]]));
    return all.find(([x, y]) => 40 < x && x < 320 && 200 < y && y < 600);
  });
  await page.touchscreen.tap(...target);
  await page.waitForFunction(() => window.live.selected !== null);
  await server.ask("resume");
  // Tools are in a menu, and hints speak of fingers.
  await page.getByRole("button", { name: "Tools and layers" }).tap();
  assert.match(await text("#hint"), /pinch/);
  await page.getByRole("button", { name: "Polygon" }).tap();
  assert.match(await text("#hint"), /^Tap/);
  for (const corner of [[90, 300], [300, 320], [280, 520]]) await page.touchscreen.tap(...corner);
  await page.waitForTimeout(400);
  await page.touchscreen.tap(100, 500);
  await page.touchscreen.tap(100, 500);
  await page.waitForFunction(() => window.live.shape?.polygon);
  assert.equal((await compare("draws a polygon by taps")).shape.polygon.length, 4);
  const map = await page.evaluate(() => document.elementFromPoint(195, 400).id);
  assert.equal(map, "map");
  await page.waitForTimeout(700);
  await shoot("phone-zone");
  await context.close();
  page = await browser.newPage();
}

/** Sixteen zones of the costliest kind among 64 views: the others get their frames. */
async function isNotHeldUp(browser) {
  await page.close();
  await server.kill();
  server.options = ["--traffic", TRAFFIC];
  await server.start();
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(server.address);
  await page.waitForFunction(() => window.live?.mirror.tick > 0);
  const [alone, longest] = [await longestGap(browser, 0), await longestGap(browser, 16)];
  if (GOAL < longest) console.log(`    more than ${GOAL} ms; without costly zones ${alone.toFixed(0)} ms`);
  assert.ok(longest < STALL, `${longest} ms between two frames`);
}

async function longestGap(browser, stars) {
  const other = await browser.newPage();
  await other.goto(server.address);
  await other.waitForFunction(() => window.live?.mirror.tick > 0);
  const measured = other.evaluate(watchMany, { star: STAR, seconds: 7, stars, views: 62 });
  await page.waitForTimeout(2500);
  await page.evaluate(() => window.live.tickTimes.length = 0);
  await page.waitForTimeout(3500);
  const ofPage = Math.max(...await page.evaluate(() => window.live.tickTimes));
  const { longest, told, frames, views } = await measured;
  const ticks = (await server.ask("status")).tick_micros.map((micros) => (micros / 1000).toFixed(0));
  console.log(`ok  with ${stars} costly zones among ${views + 2} views: at most ${ofPage.toFixed(0)} ms between two frames of a page, `
    + `${longest.toFixed(0)} ms of ${frames} frames of other views; ${told} zones were told that they are being computed; `
    + `a tick takes ${ticks[0]} ms, 1 of 100 ${ticks[1]} ms`);
  assert.equal(views, 62);
  assert.ok(told <= stars);
  await other.close();
  return Math.max(ofPage, longest);
}

/** Opens views from a page: so many with a star as zone. Returns the longest time between two frames of the others. */
function watchMany({ star, seconds, stars, views }) {
  const result = { longest: 0, told: 0, frames: 0, views: 0 };
  const open = (number) => new Promise((resolve) => {
    const socket = new WebSocket(`ws://${location.host}/live`);
    socket.binaryType = "arraybuffer";
    let last = 0, isTold = false;
    const begun = performance.now();
    socket.onopen = () => {
      const [x, y] = [-120 + 45 * (number % 8) / 8, 32 + 18 * Math.floor(number / 8) / 8];
      socket.send(JSON.stringify({ view: [x, y, x + 3, y + 2] }));
      if (number < stars) socket.send(JSON.stringify({ zone: { number, shape: { polygon: star } } }));
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") return;
      const now = performance.now(), head = new DataView(data);
      if (last === 0) result.views += 1;
      // The first seconds are those in which all of them come.
      if (number >= stars && begun + 2000 < last) {
        result.longest = Math.max(result.longest, now - last);
        result.frames += 1;
      }
      last = now;
      for (let section = 0, at = 32; section < head.getUint32(12, true); section++) {
        if (head.getUint8(at) === 3 && head.getUint16(at + 2, true) & 4) isTold = true;
        at += 8 + head.getUint32(at + 4, true);
      }
      if (seconds * 1000 < now - begun) {
        result.told += isTold ? 1 : 0;
        socket.close();
        resolve();
      }
    };
  });
  return Promise.all(Array.from({ length: views }, (_, number) => open(number))).then(() => result);
}

async function showsCrowds(browser) {
  await page.close();
  await server.kill();
  server.options = ["--traffic", "66"];
  await server.start();
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(server.address);
  await page.waitForFunction(() => window.live?.mirror.tick > 0);
  await page.getByRole("button", { name: "Home" }).click();
  await page.waitForFunction(() => window.live.mirror.crowds[0] !== null);
  const { crowd, airborne } = await compare("shows how many are where");
  assert.ok(crowd.count > 100_000, `${crowd.count} of ${airborne}`);
  await page.waitForTimeout(700);
  assert.match(await text("#airborne"), /zoom in to see each/);
  await shoot("crowd");
  await page.mouse.move(880, 330);
  for (let turn = 0; turn < 7; turn++) await page.mouse.wheel(0, -300);
  const { list } = await compare("shows each of a part of them");
  assert.ok(list.length > 500);
  await page.getByLabel("cells of the tree", { exact: true }).check();
  await page.getByRole("button", { name: "Circle" }).click();
  await drag([560, 480], [650, 560]);
  await compare("draws a circle among many");
  await page.mouse.click(800, 300);
  await page.waitForTimeout(2500);
  await shoot("many");
}

const browser = await chromium.launch({ executablePath: BROWSER, args: FLAGS });
try {
  server = new Server(program, FEW);
  await server.start();
  await opens(browser);
  await moves();
  await shoot("map");
  await pansAndZooms();
  await switchesLayers();
  await selects();
  await drawsZones();
  await drawsAStar();
  await findsHome();
  await survivesBadMessages();
  await comesBack();
  await noticesSilence();
  await closesAnother(browser);
  await isToldOfLimits(browser);
  await fitsAPhone(browser);
  await opensOnMany(browser, { viewport: { width: 1280, height: 800 } }, "desk");
  await opensOnMany(browser, PHONE, "phone");
  await movesLess(browser);
  await isNotHeldUp(browser);
  await showsCrowds(browser);
  assert.deepEqual(problems, []);
  console.log(`The live map does what it should. Screenshots: ${folder}`);
} finally {
  await browser.close();
  await server.kill();
}
