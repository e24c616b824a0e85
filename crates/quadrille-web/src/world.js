// A whole world: that of `windows.js`, with nearest, rays, casts, polygons, caps, pairs, neighbors, watches and contacts.
import { ALL, NONE, checkBox, checkDistance, checkId, checkLayers, checkList, checkNumber, checkOptions, checkPoint, checkWhole, guard, isBox, layersOf } from './module.js';
import { clusterCounts, clusters } from './clusters.js';
import { World as Windows, checkLayer } from './windows.js';

/** The options that each query has. */
const NEAREST = ['k', 'within', 'layers', 'except'], NEAREST_MANY = ['k', 'within', 'layers'];
const RAYCAST = ['k', 'until', 'layers', 'except'], CAST = ['k', 'layers', 'except', 'skin'], PAIRS = ['layers', 'between', 'within'];

/** The kind of a region that watches.rs has for a cap; those of others are numbers of rings. */
const CAP = 2 ** 32 - 1;

function options(of = {}, known) {
    checkOptions(of, known);
    const { k = 1, within = Infinity, until = Infinity, layers = ALL, except, skin } = of;
    checkWhole('k', k);
    checkDistance('within', within);
    checkDistance('until', until);
    checkLayers(layers);
    if (except !== undefined) checkId(except);
    if (skin !== undefined) checkDistance('skin', skin);
    return { k, within, until, layers, except: except ?? NONE, skin: skin ?? -1 };
}

function pairOptions(of = {}) {
    checkOptions(of, PAIRS);
    const { layers = ALL, between = 0, within = 0 } = of;
    checkLayers(layers);
    checkLayers(between, 'between');
    checkDistance('within', within);
    return [layers, between, within];
}

export class World extends Windows {
    within(a, b, c, d, e) {
        const [distance, layers] = this.D === 2 ? [c, d] : [d, e];
        checkPoint(this.D, 'at', a, b, c);
        checkDistance('distance', distance);
        const among = layersOf(layers);
        return this.ids(this.enter().within(this.at, among, distance, a, b, c));
    }

    /** At most `k`, nearest first. */
    nearest(a, b, c, d) {
        checkPoint(this.D, 'at', a, b, c);
        const { k, within, layers, except } = options(this.D === 2 ? c : d, NEAREST);
        const ids = this.ids(this.enter().nearest(this.at, layers, k, within, except, a, b, c));
        return { ids, distances: this.numbers(ids.length) };
    }

    nearestMany(points, of) {
        const { k, within, layers } = options(of, NEAREST_MANY);
        const n = this.put('points', points, this.D);
        const length = this.leave(this.enter().nearest_many(this.at, layers, n, k, within));
        if (length < 0) this.#refuseNaN();
        return this.answers(length, n);
    }

    #refuseNaN() { throw new RangeError(`points: number ${this.position} is NaN`); }

    /** The numbers of points in the order of space. */
    orderOf(points) {
        const n = this.put('points', points, this.D);
        const length = this.leave(this.enter().order_of(this.at, n));
        if (length < 0) this.#refuseNaN();
        return this.ids(length);
    }

    raycast(a, b, c, d, e, f, g) {
        const isFlat = this.D === 2;
        checkPoint(this.D, 'from', a, b, c);
        if (isFlat) checkPoint(2, 'along', c, d);
        else checkPoint(3, 'along', d, e, f);
        const { k, until, layers, except } = options(isFlat ? e : g, RAYCAST);
        return this.#hits(this.enter().raycast(this.at, layers, k, until, except, a, b, c, d, e, f));
    }

    cast(a, b, c, d, e, f, g, h, i, j) {
        const isFlat = this.D === 2;
        checkBox(this.D, a, b, c, d, e, f);
        if (isFlat) checkPoint(2, 'by', e, f);
        else checkPoint(3, 'by', g, h, i);
        const { k, layers, except, skin } = options(isFlat ? g : j, CAST);
        return this.#castHits(this.enter().cast(this.at, layers, k, except, skin, a, b, c, d, e, f, g, h, i));
    }

    castBall(a, b, c, d, e, f, g, h) {
        const isFlat = this.D === 2;
        checkPoint(this.D, 'at', a, b, c);
        const radius = isFlat ? c : d;
        checkDistance('radius', radius);
        if (isFlat) checkPoint(2, 'by', d, e);
        else checkPoint(3, 'by', e, f, g);
        const { k, layers, except, skin } = options(isFlat ? f : h, CAST);
        const [numbers, exports] = [isFlat ? [a, b, d, e] : [a, b, c, e, f, g], this.enter()];
        return this.#castHits(exports.cast_ball(this.at, layers, k, except, skin, radius, ...numbers));
    }

    #castHits(length) { return { ...this.#hits(length), touching: this.touching(length) }; }

    #hits(length) {
        return { ids: this.ids(length), times: this.numbers(length), normals: this.normals(this.D * length) };
    }

    polygon(corners, layers) {
        if (this.D !== 2) throw new TypeError('polygon: there are none in space');
        layers = layersOf(layers);
        const rings = corners?.type === undefined ? putPolygon(this, corners) : putGeometry(this, corners);
        return this.ids(this.enter().within_polygon(this.at, layers, rings));
    }

    /** All within so many meters of a place in degrees. */
    withinCap(longitude, latitude, meters, layers) {
        if (this.D !== 2) throw new TypeError('withinCap: there are none in space');
        checkCap(longitude, latitude, meters, ['longitude', 'latitude', 'meters']);
        layers = layersOf(layers);
        return this.ids(this.enter().within_cap(this.at, layers, meters, longitude, latitude));
    }

    clusters(...of) { return clusters(this, of); }
    clusterCounts(...of) { return clusterCounts(this, of); }

    /** Pairs one after the other. */
    pairs(of) {
        const asked = pairOptions(of);
        return this.ids(this.enter().pairs(this.at, ...asked));
    }

    /** For each object those around it. */
    neighbors(of) {
        const asked = pairOptions(of);
        return this.neighborhoods(this.enter().neighbors(this.at, ...asked));
    }

    optimize() { this.leave(this.enter().optimize(this.at)); }
    fitWorld() { return this.leave(this.enter().fit_world(this.at)) !== 0; }
    bounds(layers) { layers = layersOf(layers); return this.leave(this.enter().bounds(this.at, layers)) ? this.numbers(2 * this.D) : undefined; }

    /** The blocks of a layer's tree: corners of their squares, and depths. */
    cells(layer) {
        checkLayer(this, layer);
        const depths = this.ids(this.enter().cells(this.at, layer));
        return { boxes: this.numbers(2 * this.D * depths.length), depths };
    }

    watch(region, layers) {
        layers = layersOf(layers);
        const kind = putRegion(this, region);
        return new Watch(this, this.leave(this.enter().watch_new(this.at, layers, kind)));
    }

    contacts(of) {
        const asked = pairOptions(of);
        return new Contacts(this, this.leave(this.enter().contacts_new(this.at, ...asked)));
    }
}

function checkCap(longitude, latitude, meters, names) {
    checkNumber(names[0], longitude);
    checkNumber(names[1], latitude);
    if (!Number.isFinite(Math.fround(longitude))) throw new RangeError(`${names[0]} is ${longitude}: it must be finite`);
    if (latitude < -90 || latitude > 90) throw new RangeError(`${names[1]} is ${latitude}: it must be from -90 to 90`);
    checkDistance(names[2], meters);
}

/** Writes a region, and returns its kind as watches.rs has it. */
function putRegion(world, region) {
    const { D } = world, { box, ball, polygon, holes, cap, type } = region ?? {};
    if (type !== undefined && D === 2) return putGeometry(world, region) + 1;
    if (polygon !== undefined && D === 2) {
        checkOptions(region, ['polygon', 'holes'], 'region');
        return putPolygon(world, polygon, holes) + 1;
    }
    const isCap = D === 2 && cap !== undefined;
    const [name, numbers, length, kind] = box !== undefined ? ['box', box, 2 * D, 0] : isCap ? ['cap', cap, 3, CAP] : ['ball', ball, D + 1, 1];
    if (numbers === undefined) throw new TypeError(`region must be { box }${D === 2 ? ', { polygon }, { cap }' : ''} or { ball }`);
    checkOptions(region, [name], 'region');
    checkList(name, numbers, 1);
    if (numbers.length !== length) throw new RangeError(`${name} has ${numbers.length} numbers: it must have ${length}`);
    numbers.forEach((number, at) => checkNumber(`${name}[${at}]`, number));
    if (kind === 0 && !isBox(D, ...numbers)) throw new RangeError(`box is ${numbers}: a minimum is above its maximum`);
    if (kind === 1) checkDistance(`ball[${D}]`, numbers[D]);
    if (kind === CAP) checkCap(...numbers, ['cap[0]', 'cap[1]', 'cap[2]']);
    world.put(name, numbers, 1);
    return kind;
}

/** Writes a polygon, and returns the number of its rings. */
function putPolygon(world, outline, holes = []) {
    if (!Array.isArray(holes)) throw new TypeError('holes must be a list of polygons');
    const rings = [outline, ...holes];
    rings.forEach((ring, at) => checkList(at === 0 ? 'polygon' : `holes[${at - 1}]`, ring, 2));
    const corners = world.module.Floats.from(rings.flatMap((ring) => [...ring]));
    if (!corners.every(Number.isFinite)) throw new RangeError('polygon has a corner that is not finite in the numbers of this module');
    let end = 0;
    const ends = rings.map((ring) => (end += ring.length / 2));
    world.put('polygon', corners, 2);
    return world.putIds(ends);
}

/** The same for a polygon as GeoJSON has it, whose corners may have heights. */
function putGeometry(world, { type, geometry, coordinates }) {
    if (type === 'Feature' && geometry) return putGeometry(world, geometry);
    if (type !== 'Polygon' && type !== 'MultiPolygon') throw new TypeError(`region is a ${String(type)}: it must be a Polygon or a MultiPolygon, or a Feature with one`);
    const isRing = (ring) => Array.isArray(ring) && ring.every((corner) => Array.isArray(corner) && corner.length >= 2);
    const rings = type === 'Polygon' || !Array.isArray(coordinates) ? coordinates : coordinates.flat();
    if (!Array.isArray(rings) || !rings.every(isRing)) throw new TypeError(`coordinates must be those of a ${type}: lists of corners`);
    const [outline = [], ...holes] = rings.map((ring) => ring.flatMap(([x, y]) => [x, y]));
    return putPolygon(world, outline, holes);
}

/** A number in the world: that of a watch of a region, or of pairs. */
class Watched {
    constructor(world, number) {
        this.world = world;
        this.number = number;
    }

    /** The answer of the last poll. */
    inside() { return this.world.ids(enter(this).watch_inside(this.world.at, this.number)); }

    free() {
        if (this.number < 0 || this.world.at === 0) return;
        if (!this.world.module.isClosed) this.world.leave(enter(this).watch_free(this.world.at, this.number));
        this.number = -1;
    }
}

function enter({ world, number }) {
    if (number < 0) throw new Error('this watch was freed');
    return world.enter();
}

class Watch extends Watched {
    move(region) {
        const kind = putRegion(this.world, region);
        this.world.leave(enter(this).watch_set(this.world.at, this.number, kind));
    }

    poll() {
        const [entered, left] = this.world.changes(enter(this).watch_poll(this.world.at, this.number));
        return { entered, left };
    }
}

class Contacts extends Watched {
    /** Those that one object touched at the last poll. */
    of(id) {
        checkId(id);
        return this.world.ids(enter(this).contacts_of(this.world.at, this.number, id));
    }

    /** Of all pairs, or told which objects have moved or are new. */
    poll(moved) {
        const n = moved === undefined ? 0 : this.world.putIds(moved);
        const exports = enter(this), { at } = this.world;
        const [begun, ended] = this.world.changes(moved === undefined ? exports.watch_poll(at, this.number) : exports.contacts_poll_moved(at, this.number, n));
        return { begun, ended };
    }
}

guard(World, 'a world');
for (const Class of [Watched, Watch]) guard(Class, 'a watch');
guard(Contacts, 'the contacts');
if (Symbol.dispose) Watched.prototype[Symbol.dispose] = Watched.prototype.free;
