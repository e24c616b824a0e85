// Makes `us-air/outlines.bin` and `us-air/regions.csv` of the outlines of the US Census that the npm package `us-atlas` holds.
//
//   npm pack us-atlas@3.0.1 && tar xzf us-atlas-3.0.1.tgz && node outlines.mjs package/counties-10m.json
//
// Borders are cut into arcs, and two neighbors share theirs: between them there is neither a gap nor an overlap. `src/outlines.rs`
// has the format.

import { readFileSync, writeFileSync } from "node:fs";

const topology = JSON.parse(readFileSync(process.argv[2], "utf8"));
const { scale, translate } = topology.transform;
const { states, counties } = topology.objects;
const byNumber = (a, b) => (a.id < b.id ? -1 : 1);
const stateNames = new Map(states.geometries.map(({ id, properties }) => [id, properties.name]));
const regions = [
  ...states.geometries.sort(byNumber).map((region) => ({ ...region, kind: "state", name: region.properties.name })),
  ...counties.geometries.sort(byNumber)
    .map((region) => ({ ...region, kind: "county", name: `${region.properties.name}, ${stateNames.get(region.id.slice(0, 2))}` })),
].map((region) => ({ ...region, parts: region.type === "Polygon" ? [region.arcs] : region.arcs }));

/** The corners of an arc, in steps. */
function corners(arc) {
  let [x, y] = [0, 0];
  const all = topology.arcs[arc < 0 ? ~arc : arc].map(([dx, dy]) => [x += dx, y += dy]);
  return all.filter(([x, y], at) => at === 0 || x !== all[at - 1][0] || y !== all[at - 1][1]);
}

/** Rings that are too small for the steps of the source have become spots or lines. */
const hasArea = (ring) => 2 < new Set(ring.flatMap(corners).map(String)).size;

/** Bytes, of numbers with seven bits in each byte, the lowest first. */
class Bytes {
  bytes = [];

  whole(number) {
    for (; 127 < number; number >>>= 7) this.bytes.push(number & 127 | 128);
    this.bytes.push(number);
  }

  /** The sign is the lowest bit. */
  signed(number) {
    this.whole(number < 0 ? -2 * number - 1 : 2 * number);
  }
}

// Arcs in the order of their first use, so that the numbers in a ring are near each other.
const renumbered = new Map();
const used = (arc) => {
  const number = arc < 0 ? ~arc : arc;
  if (!renumbered.has(number)) renumbered.set(number, renumbered.size);
  return 2 * renumbered.get(number) + (arc < 0 ? 1 : 0);
};
const shapes = new Bytes();
shapes.whole(regions.length);
for (const { parts } of regions) {
  const drawn = parts.map((rings) => rings.filter(hasArea)).filter((rings) => 0 < rings.length);
  shapes.whole(drawn.length);
  for (const rings of drawn) {
    shapes.whole(rings.length);
    for (const ring of rings) {
      shapes.whole(ring.length);
      ring.map(used).forEach((arc, at, all) => shapes.signed(arc - (at === 0 ? 0 : all[at - 1])));
    }
  }
}

const arcs = new Bytes();
arcs.whole(renumbered.size);
let [lastX, lastY, points] = [0, 0, 0];
for (const number of renumbered.keys()) {
  const arc = corners(number);
  arcs.whole(arc.length);
  for (const [x, y] of arc) {
    arcs.signed(x - lastX);
    arcs.signed(y - lastY);
    [lastX, lastY] = [x, y];
    points += 1;
  }
}

const head = Buffer.from(new Float64Array([...scale, ...translate]).buffer);
const outlines = Buffer.concat([head, Buffer.from(arcs.bytes), Buffer.from(shapes.bytes)]);
writeFileSync(new URL("us-air/outlines.bin", import.meta.url), outlines);

/** The box around a region, its numbers rounded outwards. */
function box({ parts }) {
  const all = parts.flat(2).flatMap(corners);
  const degrees = (axis) => all.map((corner) => translate[axis] + corner[axis] * scale[axis]);
  const [longitudes, latitudes] = [degrees(0), degrees(1)];
  const low = (list) => Math.floor(list.reduce((a, b) => Math.min(a, b)) * 1e4) / 1e4;
  const high = (list) => Math.ceil(list.reduce((a, b) => Math.max(a, b)) * 1e4) / 1e4;
  return [low(longitudes), low(latitudes), high(longitudes), high(latitudes)];
}

const rows = regions.map((region) => {
  const name = region.name.includes(",") ? `"${region.name}"` : region.name;
  return [region.kind, region.id, ...box(region), name].join(",");
});
const header = "kind,fips,min_lon,min_lat,max_lon,max_lat,name";
writeFileSync(new URL("us-air/regions.csv", import.meta.url), `${[header, ...rows].join("\n")}\n`);
const bytes = outlines.length;
console.log(`${regions.length} regions, ${renumbered.size} arcs, ${points} corners, ${bytes} bytes`);
