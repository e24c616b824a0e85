// The first ten seconds, for whoever asks for less motion too, and crowds.

import assert from "node:assert/strict";
import { compare, drag, eventually, opensMap, page, server, shoot, startAnew, text } from "./stage.mjs";

/** The first ten seconds: thousands with trails, a zone that counts, airports that count, the cost of a frame, and clusters farther off. */
export async function opensOnMany(browser, settings, name) {
  await startAnew([]);
  await opensMap(browser, settings);
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
  await laysNothingOver();
  await shoot(`first-${name}`);
  for (let step = 0; step < 8 && await page.evaluate(() => window.live.mirror.crowds[0] === null); step++) {
    await page.keyboard.press("-");
    await page.waitForTimeout(1000);
  }
  const far = await compare(`farther off, ${name}`);
  await laysNothingOver();
  await shoot(`clusters-${name}`);
  for (let step = 0; step < 2; step++) await page.keyboard.press("-");
  const farther = await compare(`farther still, ${name}`);
  await laysNothingOver();
  assert.ok(far.crowd.side < farther.crowd.side && far.crowd.clusters.length > 20);
  await page.close();
}

/** Circles cover no names of states and not each other, none hides much of the map, and where there are numbers one code says whose it has. */
async function laysNothingOver() {
  const { names, covered, overlap, largest, said, numbers } = await page.evaluate(() => {
    const { names, circles, codes } = window.live.map;
    const covers = ({ x, y, radius }, [left, top, right, bottom]) => left < x + radius && x - radius < right && top < y + radius && y - radius < bottom;
    const covered = names.filter(({ box }) => circles.some((circle) => covers(circle, box))).map(({ name }) => name);
    const over = (one, other) => one.radius + other.radius - Math.hypot(one.x - other.x, one.y - other.y);
    const overlap = Math.max(0, ...circles.flatMap((one, at) => circles.slice(0, at).map((other) => over(one, other))));
    return { names: names.length, covered, overlap, largest: Math.max(0, ...circles.map(({ radius }) => radius)), said: codes.filter((code) => /: [1-9]\d* aircraft within 50 km$/.test(code)).length, numbers: codes.filter((code) => / \d+$/.test(code)) };
  });
  assert.deepEqual(covered, []);
  assert.ok(numbers.every((code) => !code.endsWith(" 0")), `${numbers}: none says 0`);
  assert.ok(overlap < 1e-6, `circles overlap by ${overlap} pixels`);
  assert.ok(names > 0 && largest < 30 && (said === 1 || (largest > 0 && numbers.length === 0)), JSON.stringify({ names, largest, said, numbers }));
}

/** Who asks for less motion sees no trails, and nothing between ticks. */
export async function movesLess(browser) {
  await opensMap(browser, { viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
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
  await eventually(async () => {
    const { center, count } = await page.evaluate(() => {
      const { map, mirror } = window.live, served = [...mirror.standing[1].values()].filter(([number]) => map.ranks.has(number));
      const [[number, ...center]] = served.sort((a, b) => map.ranks.get(a[0]) - map.ranks.get(b[0]));
      return { center, count: map.around[number] };
    });
    const latitude = Math.atan(Math.sinh(center[1] * Math.PI / 180)), radius = 50 / 111.2 / Math.cos(latitude);
    const scan = await server.scan({ circle: { center, radius } });
    assert.ok(Math.abs(scan.aircraft.length - count) <= 1, `${count} are around, ${scan.aircraft.length} by a scan`);
  });
  await server.ask("resume");
}

export async function showsCrowds(browser) {
  await page.close();
  await startAnew(["--traffic", "66"]);
  await opensMap(browser, { viewport: { width: 1280, height: 800 } });
  await page.waitForFunction(() => window.live?.mirror.tick > 0);
  await page.getByRole("button", { name: "Home" }).click();
  await page.waitForFunction(() => window.live.mirror.crowds[0] !== null);
  const { crowd, airborne } = await compare("shows how many are where");
  assert.ok(crowd.count > 100_000, `${crowd.count} of ${airborne}`);
  await eventually(async () => assert.match(await text("#airborne"), /zoom in to see each/));
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
