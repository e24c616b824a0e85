// The page: a connection, a map, and what a hand does on it.

import { LAYERS, Mirror } from "/wire.js";
import { Map2D } from "/map.js";
import { Outlines } from "/outlines.js";
import * as panel from "/panel.js";

const TICK = 100;
const SILENCE = 5000;
const RETRY = [500, 1000, 2000, 4000, 8000];
const HAS_FINGERS = matchMedia("(pointer: coarse)").matches;
const HINTS = {
  pan: HAS_FINGERS ? "Drag to pan, pinch to zoom, tap an aircraft." : "Drag to pan, turn the wheel to zoom, click an aircraft.",
  rect: "Drag from corner to corner.",
  circle: "Drag from the center outwards.",
  polygon: HAS_FINGERS ? "Tap the corners, the last one twice; Pan gives up."
    : "Click the corners, double-click the last one; Escape gives up.",
};

const canvas = document.getElementById("map");
const map = new Map2D(canvas);
const live = {
  map,
  mirror: new Mirror(),
  isConnected: false,
  connections: 0,
  errors: [],
  selected: null,
  shape: null,
  zoneNumber: 0,
  layers: new Set(["aircraft", "airports", "states"]),
  cells: false,
  listedMax: 0,
  airports: [],
  home: null,
  received: 0,
  tickTimes: [],
  drawTimes: [],
  send,
  draw,
};
// For whoever looks in from outside, such as the test.
window.live = live;

// ---- the connection

let socket = null, attempt = 0, refusal = null, lastHeard = 0;

function connect() {
  lastHeard = performance.now();
  socket = new WebSocket(`ws://${location.host}/live`);
  socket.binaryType = "arraybuffer";
  socket.onmessage = ({ data }) => {
    lastHeard = performance.now();
    if (typeof data === "string") hear(JSON.parse(data), data.length); else follow(data);
  };
  socket.onclose = lost;
}

function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

/** A server that hangs closes nothing: ten frames come in a second, so after seconds without any it is given up. */
function giveUpIfSilent() {
  if (!socket || performance.now() - lastHeard < SILENCE) return;
  socket.onmessage = socket.onclose = null;
  socket.close();
  lost();
}

function lost() {
  live.isConnected = false;
  socket = null;
  const wait = RETRY[Math.min(attempt, RETRY.length - 1)] * (0.8 + 0.4 * Math.random());
  attempt += 1;
  const until = performance.now() + wait;
  const tell = () => {
    const seconds = Math.ceil((until - performance.now()) / 1000);
    const reason = refusal ? `The server says: ${refusal}.` : "Connection lost.";
    panel.banner(`${reason} ${seconds > 0 ? `Trying again in ${seconds} s` : "Trying again"} …`);
  };
  tell();
  const countdown = setInterval(tell, 250);
  setTimeout(() => {
    clearInterval(countdown);
    refusal = null;
    connect();
  }, wait);
}

function hear(message, length) {
  live.received += length;
  if (message.hello) welcome(message.hello);
  if (message.times) live.server = message.times;
  if (message.around) Object.assign(map, { around: message.around, isCounted: true });
  if (message.race) panel.race(message.race);
  if ("selected" in message) select(message.selected, message.landed);
  if (message.error) {
    live.errors.push(message.error);
    if (live.isConnected) panel.hint(`The server says: ${message.error}.`); else refusal = message.error;
  }
}

function welcome({ airports, busiest, states, limits, home, opening, zone }) {
  const isFirst = live.connections === 0;
  Object.assign(live, { airports, states, home, listedMax: limits.listed });
  Object.assign(live, { mirror: new Mirror(), isConnected: true, isAnswered: false, selected: null });
  live.connections += 1;
  live.tickTimes = [];
  map.airports = airports;
  map.ranks = new Map(busiest.map((number, rank) => [number, rank]));
  map.outlines?.label(states);
  attempt = 0;
  panel.banner(null);
  panel.selection(null);
  if (isFirst) {
    if (opening) map.open(opening); else map.show(home);
    live.shape = zone;
  }
  sendView();
  sendLayers();
  send({ cells: live.cells });
  if (live.shape) sendZone();
}

async function loadOutlines() {
  const response = await fetch("/outlines.bin");
  if (!response.ok) return;
  map.outlines = new Outlines(await response.arrayBuffer());
  if (live.states) map.outlines.label(live.states);
  map.isMoved = true;
}

let lastTick = 0;

function follow(buffer) {
  const now = performance.now();
  live.received += buffer.byteLength;
  if (!live.isConnected) return;
  live.mirror.follow(buffer);
  if (lastTick > 0 && live.tickTimes.length < 100_000) live.tickTimes.push(now - lastTick);
  lastTick = now;
  isStale = true;
}

// ---- what is asked

let viewIsSent = true, lastView = 0;

function sendView() {
  lastView = performance.now();
  viewIsSent = true;
  live.asked = map.box();
  send({ view: live.asked });
}

function sendLayers() {
  send({ layers: [...live.layers] });
}

function sendZone() {
  live.zoneNumber += 1;
  send({ zone: live.shape && { number: live.zoneNumber, shape: live.shape } });
}

function draw(shape) {
  live.shape = shape;
  Object.assign(live.mirror.zone, { count: 0, came: 0, gone: 0, crowded: false, unfinished: false, ticks: 1 });
  live.mirror.zone.members.clear();
  sendZone();
}

function select(selected, landed) {
  if (landed) panel.hint("It has landed.");
  live.selected = selected;
  panel.selection(selected);
}

// ---- drawing

let isStale = true, draft = null;

function frame(now) {
  if (!viewIsSent && 90 < now - lastView) sendView();
  const part = Math.min(1, (performance.now() - lastTick) / TICK);
  if (isStale || map.isMoved || map.isCounted || draft || (map.isSmooth(live.mirror) && (part < 1 || live.mirror.crowds[0]))) {
    isStale = false;
    const begun = performance.now();
    map.draw(live.mirror, { ...live, zone: live.shape, draft: draft?.shape }, part);
    if (live.drawTimes.length < 100_000) live.drawTimes.push(performance.now() - begun);
  }
  requestAnimationFrame(frame);
}

let lastReceived = 0;

function tellTimes() {
  const mean = (list) => list.slice(-10).reduce((sum, time) => sum + time, 0) / Math.max(1, Math.min(10, list.length));
  const rate = 2 * (live.received - lastReceived);
  lastReceived = live.received;
  const { server, selected, cells } = live;
  const [draws, ticks] = [mean(live.drawTimes), mean(live.tickTimes)];
  panel.times({ server, selected, zoneIsDrawn: live.shape !== null, cellsAreShown: cells, rate, draws, ticks });
  // The first frame is of another view, and of no zone.
  live.isAnswered ||= live.isConnected && live.asked.every((number, at) => Math.fround(number) === live.mirror.view[at]);
  if (!live.isAnswered) return;
  panel.head(live.mirror, live.listedMax);
  panel.emptiness(tool === "pan" && isEmpty(live.mirror));
  if (!live.shape || live.zoneNumber === live.mirror.zone.number) panel.zone(live.shape !== null, live.mirror, live.airports);
}

/** Whether neither aircraft nor airports are in view, though they are asked for. */
function isEmpty({ tick, aircraft, crowds, standing }) {
  const isAsked = live.layers.has("aircraft") && live.layers.has("airports");
  return 0 < tick && isAsked && aircraft.count === 0 && standing[1].size === 0 && crowds.every((crowd) => crowd === null);
}

// ---- hands

// One grip for each pointer that is down. From the second one on it is a pinch, until all are up again.
const grips = new Map();
let tool = "pan", isPinch = false;

function take(name) {
  tool = name;
  draft = null;
  panel.menu(false);
  document.body.classList.toggle("drawing", tool !== "pan");
  canvas.classList.toggle("drawing", tool !== "pan");
  for (const button of document.querySelectorAll("[data-tool]")) {
    button.setAttribute("aria-pressed", String(button.dataset.tool === tool));
  }
  panel.hint(HINTS[tool]);
}

function moved() {
  viewIsSent = false;
}

const at = (event) => [event.offsetX, event.offsetY];

canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  grips.set(event.pointerId, { from: at(event), last: at(event), isDrag: false });
  panel.menu(false);
  if (1 < grips.size) isPinch = true;
  if (isPinch && tool !== "polygon") draft = null;
  else if (tool === "rect" || tool === "circle") draft = { shape: null };
});

canvas.addEventListener("pointermove", (event) => {
  const here = at(event), grip = grips.get(event.pointerId);
  if (tool === "polygon" && draft && !isPinch) draft.shape = { polygon: [...draft.corners, map.toMap(here)] };
  if (!grip) return;
  grip.isDrag ||= 4 < Math.hypot(here[0] - grip.from[0], here[1] - grip.from[1]);
  if (isPinch) {
    const fingers = [...grips.values()].slice(0, 2), before = fingers.map(({ last }) => last);
    grip.last = here;
    if (fingers.length === 2) map.pinch(before, fingers.map(({ last }) => last));
    moved();
  } else if (tool === "pan" && grip.isDrag) {
    map.pan(here[0] - grip.last[0], here[1] - grip.last[1]);
    moved();
  } else if (draft && tool !== "polygon") {
    draft.shape = dragged(grip.from, here);
  }
  grip.last = here;
});

canvas.addEventListener("pointerup", (event) => {
  const here = at(event), grip = grips.get(event.pointerId);
  if (!release(event) || !grip) return;
  if (tool === "pan" && !grip.isDrag) click(here);
  if (tool === "polygon") corner(here);
  if ((tool === "rect" || tool === "circle") && draft) {
    const { shape } = draft;
    take("pan");
    if (grip.isDrag && shape) draw(shape);
  }
});

canvas.addEventListener("pointercancel", release);

/** A pointer is up. Returns whether it was alone. */
function release({ pointerId }) {
  grips.delete(pointerId);
  const wasAlone = !isPinch;
  if (grips.size === 0) isPinch = false;
  return wasAlone;
}

function dragged(from, to) {
  const [a, b] = [map.toMap(from), map.toMap(to)];
  if (tool === "circle") return { circle: { center: a, radius: Math.hypot(b[0] - a[0], b[1] - a[1]) } };
  const low = [0, 1].map((axis) => Math.min(a[axis], b[axis])), high = [0, 1].map((axis) => Math.max(a[axis], b[axis]));
  return low[0] < high[0] && low[1] < high[1] ? { rect: [...low, ...high] } : null;
}

function click(here) {
  send({ select: { at: map.toMap(here), reach: 14 / map.scale } });
}

function corner(here) {
  const place = map.toMap(here);
  draft ??= { corners: [], shape: null };
  const last = draft.corners.at(-1);
  const isSame = last && Math.hypot(last[0] - place[0], last[1] - place[1]) * map.scale < 4;
  if (!isSame) draft.corners.push(place);
  draft.shape = { polygon: draft.corners };
}

canvas.addEventListener("dblclick", () => {
  if (tool !== "polygon" || !draft || draft.corners.length < 3) return;
  const { corners } = draft;
  take("pan");
  draw({ polygon: corners });
});

canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  map.zoom(Math.exp(-event.deltaY * 0.0015), at(event));
  moved();
}, { passive: false });

const ZOOMS = { "+": () => map.zoom(1.5), "-": () => map.zoom(1 / 1.5), Home: () => live.home && map.show(live.home) };
const KEYS = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };

window.addEventListener("keydown", (event) => {
  if (event.key === "Escape") take("pan");
  else if (event.key in KEYS && event.target === canvas) map.pan(...KEYS[event.key]);
  else if (event.key in ZOOMS) ZOOMS[event.key]();
  else return;
  moved();
});

for (const button of document.querySelectorAll("[data-zoom]")) {
  button.addEventListener("click", () => {
    ZOOMS[button.dataset.zoom]();
    moved();
  });
}

document.getElementById("menu").addEventListener("click", () => panel.menu());

for (const button of document.querySelectorAll("[data-tool]")) {
  button.addEventListener("click", () => take(button.dataset.tool));
}

document.getElementById("layers").addEventListener("change", ({ target }) => {
  if (target.id === "cells") {
    live.cells = target.checked;
    isStale = true;
    send({ cells: live.cells });
  } else {
    live.layers[target.checked ? "add" : "delete"](target.value);
    sendLayers();
  }
});

document.querySelector('[data-close="zone"]').addEventListener("click", () => {
  draw(null);
  isStale = true;
});
document.querySelector('[data-close="selection"]').addEventListener("click", () => send({ select: null }));

new ResizeObserver(() => {
  map.resize();
  moved();
}).observe(canvas);

live.layerNames = LAYERS;
panel.hint(HINTS.pan);
connect();
loadOutlines();
setInterval(tellTimes, 500);
setInterval(giveUpIfSilent, 1000);
requestAnimationFrame(frame);
