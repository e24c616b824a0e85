// The class of supercluster over a world of points in Mercator's projection: clusters are by cell, and points may move.
import { checkDistance, checkNumber, checkOptions, checkWhole } from './module.js';
import { running } from './started.js';

const DEFAULTS = { minZoom: 0, maxZoom: 16, minPoints: 2, radius: 40, extent: 512, nodeSize: 64, log: false, generateId: false, reduce: null, map: (props) => props };
/** Cells have at least this side, in parts of the world. */
const LEAST_LOG2 = -30;
/** The numbers of clusters begin behind those of points. */
const POINTS_MAX = 2 ** 26, ZOOMS = 32;
const NONE = new Float64Array(0);

const lngX = (lng) => lng / 360 + 0.5;
function latY(lat) {
    const sin = Math.sin(lat * Math.PI / 180), y = 0.5 - 0.25 * Math.log((1 + sin) / (1 - sin)) / Math.PI;
    return y < 0 ? 0 : y > 1 ? 1 : y;
}
/** Adds where a point is in the world to a list of coordinates. */
function place({ geometry }, coords, at) {
    const lng = geometry?.coordinates[0], lat = geometry?.coordinates[1], x = lngX(lng), y = latY(lat);
    if (!(Number.isFinite(x) && Number.isFinite(y))) throw new RangeError(`a point must have a longitude and a latitude: its coordinates are ${lng}, ${lat}`);
    coords[at] = x;
    coords[at + 1] = y;
    return coords;
}
const xLng = (x) => (x - 0.5) * 360;
const yLat = (y) => 360 * Math.atan(Math.exp((1 - 2 * y) * Math.PI)) / Math.PI - 90;
/** A number just below: a cell does not have its upper border. */
const below = (value) => value - Math.max(Math.abs(value) * 2 ** -53, Number.MIN_VALUE);
const abbreviated = (count) => (count >= 10000 ? `${Math.round(count / 1000)}k` : count >= 1000 ? `${Math.round(count / 100) / 10}k` : count);

function checked(options) {
    checkOptions(options, Object.keys(DEFAULTS));
    const all = { ...DEFAULTS, ...options };
    for (const name of ['minZoom', 'maxZoom', 'minPoints']) checkWhole(name, all[name]);
    for (const name of ['radius', 'extent']) {
        checkDistance(name, all[name]);
        if (!(all[name] > 0 && all[name] < Infinity)) throw new RangeError(`${name} is ${all[name]}: it must be above 0 and finite`);
    }
    return all;
}

export default class Supercluster {
    #world;
    #layer;
    /** Those in the world, by id. */
    #points = [];
    #free = [];
    /** The ids of points, once they are asked for. */
    #ids;
    /** The logarithm of the side of a cell in tiles. */
    #sideLog2;

    constructor(options = {}) {
        this.options = checked(options);
        // A cluster of supercluster has points up to twice the radius apart.
        this.#sideLog2 = Math.round(Math.log2(1.5 * this.options.radius / this.options.extent));
        const { maxZoom, minZoom } = this.options;
        if (maxZoom >= ZOOMS || this.#sideLog2 - maxZoom < LEAST_LOG2) throw new RangeError(`maxZoom is ${maxZoom}: cells of that zoom would be below 2^${LEAST_LOG2} of the world`);
        if (minZoom > maxZoom) throw new RangeError(`minZoom is ${minZoom}, more than maxZoom, which is ${maxZoom}`);
        this.#begin();
    }

    #begin(points = [], ids = [], coords = []) {
        const world = running().world(0, 0, 1, 1), layer = world.addPointLayer();
        try {
            world.insertPoints(layer, Uint32Array.from(ids), coords);
        } catch (error) {
            world.free();
            throw error;
        }
        this.#world?.free();
        [this.#world, this.#layer, this.#points, this.#free, this.#ids] = [world, layer, points, [], undefined];
    }

    /** Replaces all points. One without a geometry is left out. */
    load(points) {
        const ids = [], coords = new Float64Array(2 * points.length);
        const placed = points.map((point, id) => {
            if (!point.geometry) return undefined;
            place(point, coords, 2 * ids.length);
            ids.push(id);
            return point;
        });
        this.#begin(placed, ids, coords.subarray(0, 2 * ids.length));
        return this;
    }

    get size() { return this.#world.size; }

    #id(point) {
        if (!this.#ids) {
            this.#ids = new Map();
            this.#points.forEach((point, id) => { if (point) this.#ids.set(point, id); });
        }
        return this.#ids.get(point);
    }

    /** One more point; moves it if it is there. */
    add(point) {
        if (this.#id(point) !== undefined) return this.move(point);
        const id = this.#free.at(-1) ?? this.#points.length;
        this.#world.insert(this.#layer, id, ...place(point, new Float64Array(2), 0));
        this.#free.pop();
        this.#points[id] = point;
        this.#ids.set(point, id);
        return this;
    }

    /** Whether it was there. */
    remove(point) {
        const id = this.#id(point);
        if (id === undefined) return false;
        this.#world.remove(id);
        this.#ids.delete(point);
        this.#points[id] = undefined;
        this.#free.push(id);
        return true;
    }

    /** The point has changed its coordinates in place; one that is not there is added. */
    move(point) {
        const id = this.#id(point);
        if (id === undefined) return this.add(point);
        this.#world.move(id, ...place(point, new Float64Array(2), 0));
        return this;
    }

    /** Any number of points have changed their coordinates in place. */
    moveAll() {
        const ids = new Uint32Array(this.size), coords = new Float64Array(2 * this.size), points = this.#points;
        for (let id = 0, at = 0; id < points.length; id++) {
            if (!points[id]) continue;
            ids[at] = id;
            place(points[id], coords, 2 * at++);
        }
        this.#world.movePoints(ids, coords);
        return this;
    }

    #limit(zoom) {
        checkNumber('zoom', +zoom);
        return Math.max(this.options.minZoom, Math.min(Math.floor(+zoom), this.options.maxZoom + 1));
    }
    #side(zoom) { return 2 ** (this.#sideLog2 - zoom); }

    /** All groups of whole cells that meet a window, and single points; the middle of each is in the window. */
    #each(minX, minY, maxX, maxY, zoom, cluster, single) {
        const isInside = (x, y) => minX <= x && x <= maxX && minY <= y && y <= maxY;
        if (zoom > this.options.maxZoom) return this.#world.window(minX, minY, maxX, maxY).forEach((id) => single(id));
        const { reduce, minPoints } = this.options, side = this.#side(zoom), isWhole = reduce || minPoints > 2;
        const window = [Math.floor(minX / side) * side, Math.floor(minY / side) * side, below((Math.floor(maxX / side) + 1) * side), below((Math.floor(maxY / side) + 1) * side)];
        const { counts, means, ids, ends = NONE } = isWhole ? this.#world.clusterMembers(...window, side) : this.#world.clusters(...window, side);
        for (let at = 0; at < counts.length; at++) {
            const members = isWhole ? ids.subarray(ends[at - 1] ?? 0, ends[at]) : undefined, x = means[2 * at], y = means[2 * at + 1];
            if (counts[at] === 1) {
                if (isInside(x, y)) single(isWhole ? members[0] : ids[at]);
            } else if (counts[at] < minPoints) {
                for (const id of members) {
                    const [x, y] = this.#world.shape(id);
                    if (isInside(x, y)) single(id);
                }
            } else if (isInside(x, y)) {
                const one = isWhole ? members.reduce((least, id) => Math.min(least, id)) : ids[at];
                cluster(x, y, counts[at], POINTS_MAX + one * ZOOMS + zoom, members);
            }
        }
    }

    #properties(count, id, members) {
        const { map, reduce } = this.options;
        const cluster = { cluster: true, cluster_id: id, point_count: count, point_count_abbreviated: abbreviated(count) };
        if (!reduce) return cluster;
        const own = { ...map(this.#points[members[0]].properties) };
        for (let at = 1; at < members.length; at++) reduce(own, map(this.#points[members[at]].properties));
        return Object.assign(own, cluster);
    }

    #features(...of) {
        const features = [];
        this.#each(...of, (x, y, count, id, members) => features.push({
            type: 'Feature', id, properties: this.#properties(count, id, members), geometry: { type: 'Point', coordinates: [xLng(x), yLat(y)] },
        }), (id) => features.push(this.#points[id]));
        return features;
    }

    getClusters(bbox, zoom) {
        const wrapped = (lng) => ((lng + 180) % 360 + 360) % 360 - 180, between = (lat) => Math.max(-90, Math.min(90, lat));
        let minLng = wrapped(bbox[0]), maxLng = bbox[2] === 180 ? 180 : wrapped(bbox[2]);
        const minLat = between(bbox[1]), maxLat = between(bbox[3]);
        if (bbox[2] - bbox[0] >= 360) [minLng, maxLng] = [-180, 180];
        else if (minLng > maxLng) return [...this.getClusters([minLng, minLat, 180, maxLat], zoom), ...this.getClusters([-180, minLat, maxLng, maxLat], zoom)];
        if (minLat > maxLat) return [];
        return this.#features(lngX(minLng), latY(maxLat), lngX(maxLng), latY(minLat), this.#limit(zoom));
    }

    /** The cell of a cluster, as a window, and its zoom. */
    #cell(cluster) {
        const number = cluster - POINTS_MAX, one = Math.floor(number / ZOOMS), zoom = number % ZOOMS;
        if (!(number >= 0 && Number.isInteger(number) && one < POINTS_MAX && this.#world.has(one))) throw new Error('No cluster with the specified id.');
        const [x, y] = this.#world.shape(one), side = this.#side(zoom);
        const from = [x, y].map((at) => Math.floor(at / side) * side);
        return { window: [...from, ...from.map((at) => below(at + side))], zoom };
    }

    /** The clusters of the next zoom, and single points. */
    getChildren(cluster) {
        const { window, zoom } = this.#cell(cluster);
        return this.#features(...window, zoom + 1);
    }

    getLeaves(cluster, limit, offset) {
        const from = offset || 0, { window } = this.#cell(cluster);
        return Array.from(this.#world.window(...window).sort().subarray(from, from + (limit || 10)), (id) => this.#points[id]);
    }

    getClusterExpansionZoom(cluster) {
        let { zoom } = this.#cell(cluster);
        for (;;) {
            const children = this.getChildren(cluster);
            zoom++;
            if (children.length !== 1 || zoom > this.options.maxZoom) return zoom;
            cluster = children[0].properties.cluster_id;
        }
    }

    getTile(z, x, y) {
        const zoom = this.#limit(z), z2 = 2 ** z, { extent, radius, generateId } = this.options, pad = radius / extent, features = [];
        const add = (minX, maxX, x) => {
            const at = (px, py) => [[Math.round(extent * (px * z2 - x)), Math.round(extent * (py * z2 - y))]];
            this.#each(minX, (y - pad) / z2, maxX, (y + 1 + pad) / z2, zoom, (px, py, count, id, members) => {
                features.push({ type: 1, geometry: at(px, py), tags: this.#properties(count, id, members), id });
            }, (one) => {
                const { geometry: { coordinates: [lng, lat] }, properties: tags, id: own } = this.#points[one], id = generateId ? one : own;
                features.push({ type: 1, geometry: at(lngX(lng), latY(lat)), tags, ...(id === undefined ? {} : { id }) });
            });
        };
        add((x - pad) / z2, (x + 1 + pad) / z2, x);
        if (x === 0) add(1 - pad / z2, 1, z2);
        if (x === z2 - 1) add(0, pad / z2, -1);
        return features.length ? { features } : null;
    }

    /** Frees the memory. Every later call throws. */
    free() { this.#world.free(); }
}
