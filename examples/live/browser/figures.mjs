// Measures the live map: a page and more views beside it, as many aircraft as asked, for so many seconds.
//
//   node figures.mjs PROGRAM LOAD [SECONDS [VIEWS [STUCK [SPEED]]]]    the programs `live` and `load`

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { chromium } from "playwright-core";
import { FLAGS, BROWSER } from "./chromium.mjs";
import { Server } from "./server.mjs";

const [program, load, seconds = "30", views = "19", stuck = "0", speed = "1"] = process.argv.slice(2);
const TRAFFIC = ["--traffic", "70", "--at", "11:00", "--speed", speed];

const megabytes = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
const wait = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

function part(list, percent) {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * percent / 100))] ?? NaN;
}

const milliseconds = (list) => `${part(list, 50).toFixed(1)} ms (median), ${part(list, 99).toFixed(1)} ms (99 of 100)`;

/** The measurements of the page since the last time. */
const measured = (page) => page.evaluate(() => {
  const { tickTimes, drawTimes, received, mirror } = window.live;
  const result = { ticks: tickTimes, draws: drawTimes, received, shown: mirror.aircraft.count, airborne: mirror.airborne };
  Object.assign(window.live, { tickTimes: [], drawTimes: [], received: 0 });
  return result;
});

async function tell(name, page, server, seconds) {
  await measured(page);
  const memory = [];
  for (let left = seconds; left > 0; left -= 60) {
    memory.push(megabytes(server.process.pid).toFixed(1));
    await wait(Math.min(60, left));
  }
  const { ticks, draws, received, shown, airborne } = await measured(page);
  const status = await server.ask("status");
  console.log(`\n${name}: ${status.views.length} views, ${airborne} aircraft, ${shown} listed on the page`);
  console.log(`  page, between ticks: ${milliseconds(ticks)}; drawing: ${milliseconds(draws)}`);
  // Everything: the places of all, in the same four bytes, ten times a second.
  const [sent, everything] = [received / seconds / 1000, airborne * 4 / 100].map((rate) => rate.toFixed(0));
  console.log(`  page, received: ${sent} kB/s; everything would be ${everything} kB/s`);
  const [median, most] = status.tick_micros.map((micros) => (micros / 1000).toFixed(1));
  const [move, moveMost] = status.move_micros.map((micros) => (micros / 1000).toFixed(1));
  console.log(`  server, tick since the start: ${median} ms (median), ${most} ms (99 of 100); of this the moves ${move}, ${moveMost}`);
  console.log(`  server, memory each minute: ${memory.join(", ")} MB; dropped: ${status.dropped}`);
  console.log(`  machine, load: ${loadavg().map((load) => load.toFixed(1)).join(", ")}`);
}

const browser = await chromium.launch({ executablePath: BROWSER, args: FLAGS });
const server = new Server(program, TRAFFIC);
try {
  await server.start();
  console.log(`at the start: ${megabytes(server.process.pid).toFixed(1)} MB`);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(server.address);
  await page.waitForFunction(() => window.live?.mirror.tick > 0);
  await page.keyboard.press("Home");
  await tell("all of the country", page, server, 20);
  await page.mouse.move(880, 330);
  await page.mouse.wheel(0, -1450);
  await wait(2);
  await tell("a region", page, server, 20);
  const child = spawn(load, [new URL(server.address).host, "--views", views, "--stuck", stuck, "--seconds", seconds],
    { stdio: ["ignore", "inherit", "inherit"] });
  await wait(3);
  const ended = new Promise((resolve) => child.on("exit", resolve));
  await tell("the same, with others", page, server, Number(seconds) - 6);
  await ended;
  console.log(`at the end: ${megabytes(server.process.pid).toFixed(1)} MB`);
} finally {
  await browser.close();
  await server.kill();
}
