// A small window and fingers.

import assert from "node:assert/strict";
import { FEW, PHONE, compare, held, page, scale, server, shoot, startAnew, text, turnTo } from "./stage.mjs";

/** Two fingers, from places to places. */
async function fingers(session, from, to, steps = 10) {
  const points = (part) => from.map(([x, y], id) => ({ id, x: x + (to[id][0] - x) * part, y: y + (to[id][1] - y) * part }));
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points(0) });
  for (let step = 1; step <= steps; step++) {
    await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: points(step / steps) });
  }
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

export async function fitsAPhone(browser) {
  await page.close();
  await startAnew(FEW);
  const context = await browser.newContext(PHONE);
  turnTo(await context.newPage());
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
  await page.getByRole("button", { name: "Home" }).click();
  await page.getByRole("button", { name: "Zoom in" }).click();
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
  await page.getByRole("button", { name: "Tools and layers" }).click();
  assert.match(await text("#hint"), /pinch/);
  await page.getByRole("button", { name: "Polygon" }).click();
  assert.match(await text("#hint"), /^Tap/);
  for (const corner of [[90, 300], [300, 320], [280, 520]]) await page.touchscreen.tap(...corner);
  await page.waitForTimeout(400);
  // Two taps are one double tap if both are within 300 ms, so the second one does not wait for the page to have followed the first.
  // A corner that is tapped once more is not another one.
  const tap = () => page.touchscreen.tap(100, 500);
  for (let round = 0; round < 20 && !await page.evaluate(() => window.live.shape?.polygon); round++) {
    await Promise.all([tap(), page.waitForTimeout(100).then(tap)]);
  }
  assert.equal((await compare("draws a polygon by taps")).shape.polygon.length, 4);
  const map = await page.evaluate(() => document.elementFromPoint(195, 400).id);
  assert.equal(map, "map");
  await page.waitForTimeout(700);
  await shoot("phone-zone");
  await context.close();
  turnTo(await browser.newPage());
}
