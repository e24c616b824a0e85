// All that a mouse and keys do.

import assert from "node:assert/strict";
import { STAR, compare, drag, eventually, held, page, problems, scale, server, settled, shoot, text, turnTo } from "./stage.mjs";

export async function opens(browser) {
  turnTo(await browser.newPage({ viewport: { width: 1280, height: 800 } }));
  page.on("request", (request) => {
    if (!request.url().startsWith(server.address) && !request.url().startsWith("data:")) problems.push(`fetches ${request.url()}`);
  });
  await page.goto(server.address);
  await page.waitForFunction(() => window.live?.mirror.tick > 0);
  const { list } = await compare("opens");
  assert.ok(list.length > 1000);
}

export async function moves() {
  const before = await held();
  await page.waitForFunction((tick) => window.live.mirror.tick > tick + 10, before.tick);
  const after = await held();
  const places = new Map(before.list.map(([id, , x, y]) => [id, [x, y]]));
  const moved = after.list.filter(([id, , x, y]) => places.has(id) && (places.get(id)[0] !== x || places.get(id)[1] !== y));
  assert.ok(moved.length > 0.9 * before.list.length, `${moved.length} of ${before.list.length} have moved`);
  console.log(`ok  moves: ${moved.length} aircraft`);
}

export async function pansAndZooms() {
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

export async function switchesLayers() {
  await page.getByLabel("counties", { exact: true }).check();
  await page.waitForFunction(() => window.live.mirror.standing[2].size > 100);
  await compare("shows counties");
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

export async function selects() {
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

export async function drawsZones() {
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
  await eventually(async () => assert.match(await text("#zone-count"), /^[\d,]+ aircraft in the zone$/));
  // Its count is live.
  const { zone } = await held();
  await page.waitForFunction((old) => {
    const now = [...window.live.mirror.zone.members.keys()];
    return now.length !== old.length || now.some((id) => !old.includes(id));
  }, zone.members);
  await compare("the polygon after a while");
  await shoot("zone");
}

/** Nothing costs more than this zone; it is told so, and what it becomes in the end is right. */
export async function drawsAStar() {
  await page.evaluate((polygon) => window.live.draw({ polygon }), STAR);
  const star = await compare("draws a star of 256 corners");
  assert.ok(100 < star.zone.count);
}

export async function findsHome() {
  for (let turn = 0; turn < 12; turn++) await page.mouse.wheel(0, -600);
  await page.mouse.move(640, 400);
  await drag([640, 400], [200, 100]);
  await page.waitForFunction(() => !document.getElementById("empty").hidden);
  await page.getByRole("button", { name: "Home" }).click();
  await page.waitForFunction(() => document.getElementById("empty").hidden);
  const { list } = await compare("finds home from nowhere");
  assert.ok(1000 < list.length);
  const before = await scale();
  await page.getByRole("button", { name: "Zoom in" }).click();
  assert.ok(before * 1.4 < await scale());
  await page.getByRole("button", { name: "Zoom out" }).click();
}
