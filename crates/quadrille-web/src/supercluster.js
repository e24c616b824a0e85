// The class of supercluster over a world of points in Mercator's projection. Points may move, and clusters stay: each zoom has a memory of
// markers.
import { markers, markersBox, markersNew } from './clusters.js';
import { checkDistance, checkNumber, checkOptions, checkWhole } from './module.js';
import { running } from './started.js';

const DEFAULTS = { minZoom: 0, maxZoom: 16, minPoints: 2, radius: 40, extent: 512, nodeSize: 64, log: false, generateId: false, reduce: null, map: (props) => props };
/** So many cells are in a radius. They have a side of a meter at least, and of many worlds at most. */
const CELLS = 2, CELL_MIN = 2 ** -26, CELL_MAX = 1024;
/** In radii: circles on both sides of the antimeridian that are as near are one, as elsewhere. */
const APART = 0.75;
/** The numbers of clusters begin behind those of points. */
const POINTS_MAX = 2 ** 26, ZOOMS = 32;

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
    /** Where all points are projected to. */
    #coords;
    /** The ids of points, once they are asked for. */
    #numbers;
    /** The side of a cell at zoom 0, and the least corner and the side of the world. */
    #cell;
    #extent;
    /** The memory of each zoom that was asked for. */
    #memories;
    /** Of the last call: the numbers of its features, and what has come and gone. */
    #ids = [];
    #come = [];
    #gone = [];

    constructor(options = {}) {
        this.options = checked(options);
        const { maxZoom, minZoom, radius, extent } = this.options;
        // Of few digits, so that the world has just so many cells. Greenwich and the equator lie a third of a cell beside a border at each zoom.
        const cell = this.#cell = Math.fround(Math.max(CELL_MIN, Math.min(radius / extent / CELLS, CELL_MAX))), least = Math.fround(0.5 - (Math.ceil(0.5 / cell) + 1 / 3) * cell);
        this.#extent = [least, least + cell * 2 ** Math.ceil(Math.log2((1 - least) / cell))];
        if (maxZoom >= ZOOMS) throw new RangeError(`maxZoom is ${maxZoom}: it must be below ${ZOOMS}`);
        if (minZoom > maxZoom) throw new RangeError(`minZoom is ${minZoom}, more than maxZoom, which is ${maxZoom}`);
        this.#begin();
    }

    #begin(points = [], ids = [], coords = []) {
        const [min, max] = this.#extent, world = running().world(min, min, max, max), layer = world.addPointLayer();
        try {
            world.insertPoints(layer, Uint32Array.from(ids), coords);
        } catch (error) {
            world.free();
            throw error;
        }
        this.#world?.free();
        [this.#world, this.#layer, this.#points, this.#free, this.#numbers, this.#memories] = [world, layer, points, [], undefined, new Map()];
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
        if (!this.#numbers) {
            this.#numbers = new Map();
            this.#points.forEach((point, id) => { if (point) this.#numbers.set(point, id); });
        }
        return this.#numbers.get(point);
    }

    /** One more point; moves it if it is there. */
    add(point) {
        if (this.#id(point) !== undefined) return this.move(point);
        const id = this.#free.at(-1) ?? this.#points.length;
        this.#world.insert(this.#layer, id, ...place(point, new Float64Array(2), 0));
        this.#free.pop();
        this.#points[id] = point;
        this.#numbers.set(point, id);
        return this;
    }

    /** Whether it was there. */
    remove(point) {
        const id = this.#id(point);
        if (id === undefined) return false;
        this.#world.remove(id);
        this.#numbers.delete(point);
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
        const { size } = this, points = this.#points, isDense = size === points.length, ids = isDense ? 0 : new Uint32Array(size);
        if (this.#coords?.length !== 2 * size) this.#coords = new Float64Array(2 * size);
        for (let id = 0, at = 0; id < points.length; id++) {
            if (!points[id]) continue;
            if (!isDense) ids[at] = id;
            place(points[id], this.#coords, 2 * at++);
        }
        this.#world.movePoints(ids, this.#coords);
        return this;
    }

    #limit(zoom) {
        checkNumber('zoom', zoom === undefined ? zoom : +zoom);
        return Math.max(this.options.minZoom, Math.min(Math.floor(+zoom), this.options.maxZoom + 1));
    }

    /** What the memory of a zoom has in a box. */
    #poll(zoom, isWhole, box) {
        const known = this.#memories.get(zoom), memory = known ?? markersNew(this.#world, CELLS * this.#cell * 2 ** -zoom);
        if (known === undefined) this.#memories.set(zoom, memory);
        const found = markers(this.#world, memory, isWhole, box), id = (number) => (number < 0 ? undefined : POINTS_MAX + number * ZOOMS + zoom);
        for (let at = 0; at < found.come.length; at += 2) this.#come.push({ id: id(found.come[at]), from: id(found.come[at + 1]) });
        for (let at = 0; at < found.gone.length; at += 2) this.#gone.push({ id: id(found.gone[at]), into: id(found.gone[at + 1]) });
        return found;
    }

    /** The markers in a box, each with all its points or with one. */
    #list(zoom, isWhole, box) {
        const { counts, means, boxes, numbers, ids, ends } = this.#poll(zoom, isWhole, box);
        return Array.from(counts, (count, at) => ({
            count, number: numbers[2 * at], x: means[2 * at], y: means[2 * at + 1], box: isWhole && boxes.subarray(4 * at, 4 * at + 4),
            members: isWhole ? ids.subarray(ends[at - 1] ?? 0, ends[at]) : [ids[at]],
        }));
    }

    /** The same, and more around them. Two on both sides of the antimeridian that are nearest to each other, and near, are one. */
    #markers(zoom, isWhole, [minX, minY, maxX, maxY]) {
        const near = APART * CELLS * this.#cell * 2 ** -zoom, tall = [minY - 2 * near, maxY + 2 * near];
        if ((near < minX && maxX < 1 - near) || near > 0.25) return this.#list(zoom, isWhole, [minX, minY, maxX, maxY]);
        const found = this.#list(zoom, isWhole, [minX, tall[0], maxX, tall[1]]), isAll = minX <= 0 && maxX >= 1;
        const [west, east] = [[0, near], [1 - near, 1]].map(([from, to]) => (isAll ? found : this.#list(zoom, isWhole, [from, tall[0], to, tall[1]])).filter(({ x }) => from <= x && x <= to));
        const far = (one, other) => Math.hypot(1 - Math.abs(one.x - other.x), one.y - other.y), joined = new Map();
        const nearest = (one, others) => others.reduce((best, other) => (far(one, other) <= (best ? far(one, best) : near) ? other : best), undefined);
        for (const one of east) {
            const other = nearest(one, west);
            if (!other || nearest(other, east) !== one) continue;
            const count = one.count + other.count, part = other.count / count, numbers = [one.number, other.number];
            const both = {
                count, number: Math.min(...numbers), also: Math.max(...numbers), x: (one.x + (other.x + 1 - one.x) * part) % 1, y: one.y + (other.y - one.y) * part,
                box: isWhole && [0, Math.min(one.box[1], other.box[1]), 1, Math.max(one.box[3], other.box[3])], members: Uint32Array.from([...one.members, ...other.members]),
            };
            joined.set(one.number, both).set(other.number, both);
        }
        return [...found.filter(({ number }) => !joined.has(number)), ...new Set(joined.values())];
    }

    /** All clusters and single points in a window. */
    #each(minX, minY, maxX, maxY, zoom, cluster, single) {
        const isInside = (x, y) => minX <= x && x <= maxX && minY <= y && y <= maxY, { reduce, minPoints, maxZoom } = this.options;
        if (zoom > maxZoom) return this.#world.window(minX, minY, maxX, maxY).forEach((id) => single(id, id));
        // The mean of a few that come alone may be elsewhere.
        const isWhole = Boolean(reduce) || minPoints > 2, by = minPoints > 2 ? 2 * CELLS * this.#cell * 2 ** -zoom : 0;
        for (const { count, number: own, x, y, members } of this.#markers(zoom, isWhole, [minX - by, minY - by, maxX + by, maxY + by])) {
            const number = POINTS_MAX + own * ZOOMS + zoom;
            if (count >= minPoints && count > 1) {
                if (isInside(x, y)) cluster(x, y, count, number, members);
            } else {
                for (const id of members) if (isInside(...(count > 1 ? this.#world.shape(id) : [x, y]))) single(id, number);
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

    #feature(x, y, count, id, members) {
        return { type: 'Feature', id, properties: this.#properties(count, id, members), geometry: { type: 'Point', coordinates: [xLng(x), yLat(y)] } };
    }

    #begins() { [this.#ids, this.#come, this.#gone] = [[], [], []]; }

    /**
     * Of the last call: the numbers of its features, of which single points have one too; those of clusters that are new and that are gone,
     * each with the one that it came from or went into.
     */
    get changes() { return { ids: this.#ids, come: this.#come, gone: this.#gone }; }

    getClusters(bbox, zoom) {
        this.#begins();
        return this.#clusters(bbox, this.#limit(zoom));
    }

    #clusters(bbox, zoom) {
        const features = [], wrapped = (lng) => ((lng + 180) % 360 + 360) % 360 - 180, between = (lat) => Math.max(-90, Math.min(90, lat));
        let minLng = wrapped(bbox[0]), maxLng = bbox[2] === 180 ? 180 : wrapped(bbox[2]);
        const minLat = between(bbox[1]), maxLat = between(bbox[3]);
        if (bbox[2] - bbox[0] >= 360) [minLng, maxLng] = [-180, 180];
        else if (minLng > maxLng) return [...this.#clusters([minLng, minLat, 180, maxLat], zoom), ...this.#clusters([-180, minLat, maxLng, maxLat], zoom)];
        if (minLat > maxLat) return [];
        this.#each(lngX(minLng), latY(maxLat), lngX(maxLng), latY(minLat), zoom, (...of) => {
            this.#ids.push(of[3]);
            features.push(this.#feature(...of));
        }, (id, number) => {
            this.#ids.push(number);
            features.push(this.#points[id]);
        });
        return features;
    }

    /** The zoom of a cluster, its points, and the box around them. */
    #cluster(cluster) {
        const of = cluster - POINTS_MAX, number = Math.floor(of / ZOOMS), zoom = of % ZOOMS, memory = of >= 0 && this.#memories.get(zoom);
        const box = memory === undefined || memory === false ? undefined : markersBox(this.#world, memory, number);
        const one = box && this.#markers(zoom, true, box).find(({ number: own, also }) => own === number || also === number);
        if (!one || one.count < 2) throw new Error('No cluster with the specified id.');
        return { zoom, ...one };
    }

    /** The markers of another zoom with points of a cluster. */
    #split({ box: [minX, minY, maxX, maxY], members }, zoom) {
        const own = new Set(members), isOwn = (id) => own.has(id);
        for (const by of [2 * CELLS * this.#cell * 2 ** -zoom, Infinity]) {
            const parts = this.#markers(zoom, true, [minX - by, minY - by, maxX + by, maxY + by]).filter((part) => part.members.some(isOwn));
            if (parts.reduce((sum, part) => sum + part.members.filter(isOwn).length, 0) === own.size) return parts;
        }
        return [];
    }

    /** The clusters of the next zoom that have points of this one, and single points. */
    getChildren(cluster) {
        this.#begins();
        const parent = this.#cluster(cluster), zoom = parent.zoom + 1, { minPoints, maxZoom } = this.options;
        if (zoom > maxZoom) return Array.from(parent.members, (id) => this.#points[id]);
        return this.#split(parent, zoom).flatMap(({ count, x, y, number, members }) => {
            if (count < Math.max(minPoints, 2)) return Array.from(members, (id) => this.#points[id]);
            return [this.#feature(x, y, count, POINTS_MAX + number * ZOOMS + zoom, members)];
        });
    }

    getLeaves(cluster, limit, offset) {
        this.#begins();
        const from = offset || 0;
        return Array.from(this.#cluster(cluster).members.sort().subarray(from, from + (limit || 10)), (id) => this.#points[id]);
    }

    /** The first zoom at which its points are in several. */
    getClusterExpansionZoom(cluster) {
        this.#begins();
        const parent = this.#cluster(cluster);
        let zoom = parent.zoom + 1;
        while (zoom <= this.options.maxZoom && this.#split(parent, zoom).length === 1) zoom++;
        return zoom;
    }

    getTile(z, x, y) {
        const zoom = this.#limit(z), z2 = 2 ** z, { extent, radius, generateId } = this.options, pad = radius / extent, features = [];
        this.#begins();
        const add = (minX, maxX, x) => {
            const at = (px, py) => [[Math.round(extent * (px * z2 - x)), Math.round(extent * (py * z2 - y))]];
            this.#each(minX, (y - pad) / z2, maxX, (y + 1 + pad) / z2, zoom, (px, py, count, id, members) => {
                this.#ids.push(id);
                features.push({ type: 1, geometry: at(px, py), tags: this.#properties(count, id, members), id });
            }, (one, number) => {
                this.#ids.push(number);
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
