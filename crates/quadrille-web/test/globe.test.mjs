// Longitude and latitude: caps, windows across the antimeridian and points of a sphere, beside scans.
import assert from 'node:assert/strict';
import { test } from 'node:test';

const EARTH = 6_371_008.8, RADIANS = Math.PI / 180;
const sorted = (list) => [...list].sort((a, b) => a - b);

/** By the haversine. */
function apart([aX, aY], [bX, bY]) {
    const up = Math.sin((bY - aY) / 2 * RADIANS), along = Math.sin((bX - aX) / 2 * RADIANS);
    return 2 * EARTH * Math.asin(Math.min(1, Math.sqrt(up * up + Math.cos(aY * RADIANS) * Math.cos(bY * RADIANS) * along * along)));
}

function onSphere([longitude, latitude]) {
    const [x, y] = [longitude * RADIANS, latitude * RADIANS];
    return [Math.cos(y) * Math.cos(x), Math.cos(y) * Math.sin(x), Math.sin(y)].map((part) => part * EARTH);
}

let seed = 46;
const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;

/** Everywhere, on a lattice, at the poles and the antimeridian. */
const places = [
    ...Array.from({ length: 2000 }, () => [random() * 360 - 180, Math.asin(random() * 2 - 1) / RADIANS]),
    ...Array.from({ length: 500 }, () => [Math.floor(random() * 25) * 15 - 180, Math.floor(random() * 13) * 15 - 90]),
    ...Array.from({ length: 200 }, () => [180 - random(), random() * 4 - 18]), [0, 90], [77, 90], [0, -90], [180, 0], [-180, 0],
].map((place) => place.map(Math.fround));
const asked = [[179.9, -17], [-180, -17], [180, 0], [0, 90], [130, -90], [30, 89.5], [10, 50], [370, 50], [-75, 15]].map((place) => place.map(Math.fround));
const reaches = [0, 50_000, 700_000, 5e6, 1.2e7, 1.99e7, 2.1e7, Infinity];

/** The scan's answer; what is as near to the limit as numbers are rounded may be either. */
function same(found, place, meters, what) {
    const ids = new Set(found);
    assert.equal(ids.size, found.length);
    places.forEach((at, id) => {
        const distance = apart(place, at);
        if (Math.abs(distance - meters) > 0.2) assert.equal(ids.has(id), distance < meters, `${what}: ${at}, ${distance} of ${meters} from ${place}`);
    });
}

for (const name of ['index', 'f32', 'periodic']) test(`${name}: caps`, async () => {
    const quadrille = await (await import(`../pkg/${name}.js`)).init();
    const world = quadrille.world(-180, -90, 180, 90, name === 'periodic' ? { periodic: [true, false] } : {}), ships = world.addPointLayer();
    world.insertPoints(ships, 0, places.flat());
    const watch = world.watch({ cap: [0, 0, 1] });
    watch.poll();
    for (const place of asked) for (const meters of reaches) {
        const found = world.withinCap(...place, meters);
        same(found, place, meters, name);
        watch.move({ cap: [...place, meters] });
        watch.poll();
        assert.deepEqual(sorted(watch.inside()), sorted(found));
    }
    assert.equal(world.withinCap(0, 0, Infinity, 0).length, 0);
    for (const [wrong, what] of [[[NaN, 0, 1], /longitude is NaN/], [[Infinity, 0, 1], /longitude is Infinity: it must be finite/], [[0, 91, 1], /latitude is 91: it must be from -90 to 90/], [[0, 0, -1], /meters is -1/], [['0', 0, 1], /longitude must be a number/]]) {
        assert.throws(() => world.withinCap(...wrong), what);
        assert.throws(() => watch.move({ cap: wrong }), /cap\[/);
    }
    assert.throws(() => watch.move({ cap: [0, 0] }), /cap has 2 numbers: it must have 3/);
});

test('3d: points of a sphere', async () => {
    const quadrille = await (await import('../pkg/3d.js')).init();
    const world = quadrille.world(-EARTH, -EARTH, -EARTH, EARTH, EARTH, EARTH), ships = world.addPointLayer();
    world.insertPoints(ships, 0, places.flatMap(onSphere));
    for (const place of asked) {
        for (const meters of reaches) {
            const chord = 2 * EARTH * Math.sin(Math.min(meters / (2 * EARTH), Math.PI / 2));
            if (meters !== 2.1e7 && meters !== Infinity) same(world.within(...onSphere(place), chord), place, meters, 'sphere');
        }
        const { distances } = world.nearest(...onSphere(place), { k: 20 });
        const nearest = places.map((at) => apart(place, at)).sort((a, b) => a - b);
        distances.forEach((chord, rank) => assert.ok(Math.abs(2 * EARTH * Math.asin(chord / (2 * EARTH)) - nearest[rank]) < 0.01));
    }
    assert.throws(() => world.withinCap(0, 0, 1), /none in space/);
    assert.throws(() => world.watch({ cap: [0, 0, 1] }), /region must be/);
});

test('windows and polygons across the antimeridian', async () => {
    const quadrille = await (await import('../pkg/periodic.js')).init();
    const world = quadrille.world(-180, -90, 180, 90, { periodic: [true, false] }), ships = world.addPointLayer();
    world.insertPoints(ships, 0, places.flat());
    const scan = (west, east, south, north) => places.flatMap(([x, y], id) => (south <= y && y <= north && [-360, 0, 360].some((turn) => west <= x + turn && x + turn <= east) ? [id] : []));
    for (const [west, east] of [[170, 190], [-190, -170], [179.5, 180], [-181, -180], [100, 460], [-180, 180], [175, 180.25]]) {
        for (const [south, north] of [[-30, 0], [-90, 90], [60, 90]]) {
            const expected = scan(west, east, south, north), corners = [[west, south], [east, south], [east, north], [west, north], [west, south]];
            assert.deepEqual(sorted(world.window(west, south, east, north)), expected);
            assert.equal(world.count(west, south, east, north), expected.length);
            assert.deepEqual(sorted(world.polygon({ type: 'Polygon', coordinates: [corners] })), expected);
        }
    }
    // As RFC 7946 cuts it, in any world.
    const plane = (await (await import('../pkg/index.js')).init()).world(-180, -90, 180, 90);
    plane.insertPoints(plane.addPointLayer(), 0, places.flat());
    const ring = (west, east) => [[[west, -20], [east, -20], [east, -14], [west, -14], [west, -20]]];
    const fiji = { type: 'MultiPolygon', coordinates: [ring(176, 180), ring(-180, -178)] };
    assert.deepEqual(sorted(plane.polygon(fiji)), scan(176, 182, -20, -14));
    assert.deepEqual(sorted(world.polygon(fiji)), scan(176, 182, -20, -14));
});
