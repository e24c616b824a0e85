// Opens the live map in a browser, uses it as a hand would, and compares what the page holds with linear scans of the server.
//
//   node test.mjs PROGRAM [FOLDER]    the program `live`; the folder for screenshots

import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { BROWSER, FLAGS } from "./chromium.mjs";
import { closesAnother, comesBack, isNotHeldUp, isToldOfLimits, noticesSilence, survivesBadMessages } from "./connection.mjs";
import { drawsAStar, drawsZones, findsHome, moves, opens, pansAndZooms, selects, switchesLayers } from "./hand.mjs";
import { movesLess, opensOnMany, showsCrowds } from "./opening.mjs";
import { fitsAPhone } from "./phone.mjs";
import { PHONE, problems, server, shoot } from "./stage.mjs";

const browser = await chromium.launch({ executablePath: BROWSER, args: FLAGS });
try {
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
  console.log("The live map does what it should.");
} finally {
  await browser.close();
  await server.kill();
}
