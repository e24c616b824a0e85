// The server and the page under test, and how the two are compared.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Server } from "./server.mjs";

const [program, folder = "target/live"] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
/** So few that each is listed on a map of the country. */
export const FEW = ["--traffic", "1"];
/** The faults of all pages. */
export const problems = [];
export const server = new Server(program, FEW);
/** The page that is looked at. */
export let page;

/** A page that is waited for as long as a busy machine takes. */
export function patient(page) {
  page.setDefaultTimeout(120_000);
  return page;
}

export function turnTo(next) {
  page = patient(next);
  page.on("pageerror", (error) => problems.push(String(error)));
}

export async function startAnew(options) {
  await server.kill();
  server.options = options;
  await server.start();
}

/** Opens the map on another page. */
export async function opensMap(browser, settings) {
  turnTo(await browser.newPage(settings));
  await page.goto(server.address);
}

/** The state of the page: read in one go, so that all of it is of one tick. */
export const held = () => page.evaluate(() => {
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
export async function settled({ tick }) {
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

/** Repeats what asserts until nothing fails: on a busy machine an answer may be late. */
export async function eventually(check) {
  const until = Date.now() + 30_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (until < Date.now()) throw error;
      await setTimeout(200);
    }
  }
}

export const scale = () => page.evaluate(() => window.live.map.scale);

const numbers = (list) => list.map(([id]) => id).sort((a, b) => a - b);

/** Pauses the server, compares all that the page shows with linear scans, and lets it go on. */
export async function compare(name) {
  const paused = await server.ask("pause");
  const { shown, ...page } = await eventually(() => asScanned(name, paused));
  await server.ask("resume");
  console.log(`ok  ${name}: ${shown}`);
  return page;
}

async function asScanned(name, paused) {
  const page = await settled(paused);
  const scan = await server.scan({ rect: page.view });
  assert.equal(scan.tick, page.tick);
  if (page.crowd) {
    assert.equal(page.crowd.count, scan.aircraft.length, name);
    // At the edges markers have some from beyond, and some are in markers beyond.
    const marked = page.crowd.clusters.reduce((sum, count) => sum + count, 0);
    assert.ok(Math.abs(marked - page.crowd.count) < 0.2 * page.crowd.count, `${name}: ${marked} of ${page.crowd.count}`);
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
  const aircraft = page.crowd ? `a crowd of ${page.crowd.count}` : `${page.list.length} aircraft`;
  const shown = `${aircraft}, ${airports.length} airports, ${regions.length} regions, ${members} in the zone`;
  return { ...page, scan, shown };
}

export async function drag(from, to, steps = 12) {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to, { steps });
  await page.mouse.up();
}

export const shoot = (name) => page.screenshot({ path: join(folder, `${name}.png`) });

export const text = (id) => page.locator(id).innerText();

/** A polygon of 256 corners over all of the country, whose edges cross each other: nothing costs more that may be asked. */
export const STAR = Array.from({ length: 256 }, (_, corner) => corner * Math.PI * (1 - 1 / 256))
  .map((turn) => [-96 + 30 * Math.cos(turn), 42 + 20 * Math.sin(turn)]);

export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
