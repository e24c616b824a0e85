// A world with insertions, moves, removals and windows. `world.js` adds the rest.
import { ALL, checkId, checkLayers, checkList, checkOptions, checkWhole, isBox2, isBox3, refuse } from './module.js';

export const D = 2;
export const isBox = D === 2 ? isBox2 : isBox3;
export function checkBox(minX, minY, maxX, maxY) {
    if (!isBox(minX, minY, maxX, maxY)) refuse({ minX, minY, maxX, maxY });
}
/** As in lib.rs. */
const REFUSALS = [, , 'NOT_FINITE', 'is in use', 'the layer or the object is of points, and this is a box, or the reverse', 'is too large', 'there is no memory for it', 'is named twice'];
const [NO_OBJECT, NOT_FINITE, , WRONG_KIND] = [1, 2, 3, 4];

/** A bit for each axis on which the world wraps around. */
function axes(periodic) {
    if (typeof periodic === 'boolean') return periodic ? 2 ** D - 1 : 0;
    if (!Array.isArray(periodic) || periodic.length !== D || !periodic.every((axis) => typeof axis === 'boolean')) {
        throw new TypeError(`periodic must be true or false, or a list of ${D} of these`);
    }
    return periodic.reduce((bits, axis, at) => bits | axis << at, 0);
}

export class World {
    constructor(module, minX, minY, maxX, maxY, options = {}) {
        checkBox(minX, minY, maxX, maxY);
        checkOptions(options);
        const wraps = axes(options.periodic ?? false);
        this.module = module;
        this.Floats = module.exports.scalar_bytes() === 4 ? Float32Array : Float64Array;
        if (wraps && !module.exports.periodic) throw new TypeError('periodic: worlds that wrap around are in quadrille/periodic');
        this.at = module.leave(module.enter().world_new(wraps, minX, minY, maxX, maxY));
        if (this.at === 0) refuse({ minX, minY, maxX, maxY });
        this.layers = 0;
        this.wraps = wraps !== 0;
        module.worlds.register(this, this.at, this);
    }

    /** Frees its memory. Every later call throws. */
    free() {
        if (this.at === 0) return;
        this.module.worlds.unregister(this);
        this.module.leave(this.module.enter().world_free(this.at));
        this.at = 0;
    }

    enter() {
        if (this.at === 0) throw new Error('this world was freed');
        return this.module.enter();
    }

    leave(result) { return this.module.leave(result); }

    /** The ids of the answer. */
    ids(length) {
        const { module } = this;
        module.leave();
        return module.list(Uint32Array, module.words[this.at >> 2], length);
    }

    numbers(length) {
        const { module } = this;
        return module.list(this.Floats, module.words[(this.at >> 2) + 2], length);
    }

    /** The answers to `n` questions. */
    answers(length, n, name) {
        const ids = this.ids(Math.max(length, 0)), { module } = this;
        if (length < 0) throw new RangeError(`${name}: number ${this.position} of them is no such shape: NaN, or a minimum above its maximum`);
        return { ids, ends: module.list(Uint32Array, module.words[(this.at >> 2) + 1] + 4, n) };
    }

    get position() { return this.module.words[(this.at >> 2) + 3]; }

    /** Where a list of numbers for the module is written. */
    #room(Type, room, length) {
        const place = this.leave(this.enter()[room](this.at, length));
        if (place === 0) throw new RangeError(`there is no memory for ${length} numbers`);
        return new Type(this.module.buffer, place, length);
    }

    /** A list in the module's own memory would be lost if that grows. */
    #own(list) { return list?.buffer === this.module.buffer ? list.slice() : list; }

    put(name, coords, per) {
        checkList(name, coords, per);
        coords = this.#own(coords);
        this.#room(this.Floats, 'numbers_room', coords.length).set(coords);
        return coords.length / per;
    }

    putIds(ids) {
        checkList('ids', ids, 1);
        if (!(ids instanceof Uint32Array)) for (const id of ids) checkId(id);
        ids = this.#own(ids);
        this.#room(Uint32Array, 'ids_room', ids.length).set(ids);
        return ids.length;
    }

    /** Shapes with their ids: a list, or the first of consecutive ones. */
    #putBatch(ids, coords, boxes) {
        ids = this.#own(ids);
        const n = this.put('coords', coords, boxes ? 2 * D : D);
        if (typeof ids === 'number') {
            checkId(ids);
            checkId(ids + Math.max(n, 1) - 1);
            const room = this.#room(Uint32Array, 'ids_room', n);
            for (let at = 0; at < n; at++) room[at] = ids + at;
        } else if (this.putIds(ids) !== n) throw new RangeError(`ids has ${ids.length} numbers, but there are ${n} shapes`);
        return [n, ids];
    }

    #addLayer(boxes) {
        const layer = this.layers < 32 ? this.leave(this.enter().layer_add(this.at, boxes)) : -1;
        if (layer < 0) throw new RangeError('a world has at most 32 layers');
        return this.layers++, layer;
    }

    addPointLayer() { return this.#addLayer(0); }
    addBoxLayer() { return this.#addLayer(1); }

    checkLayer(layer) {
        if (typeof layer === 'number' && (layer >>> 0) === layer && layer < this.layers) return;
        if (typeof layer !== 'number') throw new TypeError('layer must be a number, as addPointLayer and addBoxLayer return');
        throw new RangeError(`layer is ${layer}: this world has ${this.layers}`);
    }

    get size() { return this.leave(this.enter().size(this.at, ALL)); }
    sizeOf(layers) { checkLayers(layers); return this.leave(this.enter().size(this.at, layers)); }
    clear(layers = ALL) { checkLayers(layers); this.leave(this.enter().clear(this.at, layers)); }
    has(id) { checkId(id); return this.leave(this.enter().has(this.at, id)) !== 0; }

    shape(id) {
        checkId(id);
        return this.leave(this.enter().shape(this.at, id)) ? this.numbers(2 * D) : undefined;
    }

    #refuse(status, id, numbers) {
        if (status === NOT_FINITE) refuse(numbers);
        throw new (status === WRONG_KIND ? TypeError : RangeError)(`id ${id}: ${REFUSALS[status]}`);
    }

    #refuseShape() {
        throw new RangeError(`coords: number ${this.position} of the shapes is none: not finite, or a minimum above its maximum`);
    }

    insert(layer, id, minX, minY, maxX = minX, maxY = minY) {
        this.checkLayer(layer);
        checkId(id);
        checkBox(minX, minY, maxX, maxY);
        const status = this.leave(this.enter().insert(this.at, layer, id, minX, minY, maxX, maxY));
        if (status) this.#refuse(status, id, { minX, minY, maxX, maxY });
    }

    move(id, minX, minY, maxX = minX, maxY = minY) {
        checkId(id);
        checkBox(minX, minY, maxX, maxY);
        const status = this.leave(this.enter().move_to(this.at, id, minX, minY, maxX, maxY));
        if (status > NO_OBJECT) this.#refuse(status, id, { minX, minY, maxX, maxY });
        return status === 0;
    }

    #insertMany(layer, ids, coords, boxes) {
        this.checkLayer(layer);
        const [n, own] = this.#putBatch(ids, coords, boxes);
        const status = this.leave(this.enter().insert_many(this.at, layer, n, boxes));
        if (status === NOT_FINITE) this.#refuseShape();
        if (status === WRONG_KIND) throw new TypeError(`layer ${layer} is of ${boxes ? 'points, and these are boxes' : 'boxes, and these are points'}`);
        if (status) this.#refuse(status, typeof own === 'number' ? own + this.position : own[this.position]);
    }

    insertPoints(layer, ids, coords) { this.#insertMany(layer, ids, coords, 0); }
    insertBoxes(layer, ids, coords) { this.#insertMany(layer, ids, coords, 1); }

    #moveMany(ids, coords, boxes) {
        const [n] = this.#putBatch(ids, coords, boxes);
        const refused = this.leave(this.enter().move_many(this.at, n, boxes));
        if (refused < 0) this.#refuseShape();
        return refused;
    }

    movePoints(ids, coords) { return this.#moveMany(ids, coords, 0); }
    moveBoxes(ids, coords) { return this.#moveMany(ids, coords, 1); }
    remove(id) { checkId(id); return this.leave(this.enter().remove(this.at, id)) !== 0; }

    removeMany(ids) {
        const n = this.putIds(ids);
        return this.leave(this.enter().remove_many(this.at, n));
    }

    window(minX, minY, maxX, maxY, layers = ALL) {
        checkBox(minX, minY, maxX, maxY);
        checkLayers(layers);
        return this.ids(this.enter().window(this.at, layers, minX, minY, maxX, maxY));
    }

    some(limit, minX, minY, maxX, maxY, layers = ALL) {
        checkWhole('limit', limit);
        checkBox(minX, minY, maxX, maxY);
        checkLayers(layers);
        return this.ids(this.enter().some(this.at, layers, limit, minX, minY, maxX, maxY));
    }

    any(minX, minY, maxX, maxY, layers = ALL) {
        checkBox(minX, minY, maxX, maxY);
        checkLayers(layers);
        return this.leave(this.enter().any(this.at, layers, minX, minY, maxX, maxY)) !== 0;
    }

    count(minX, minY, maxX, maxY, layers = ALL) {
        checkBox(minX, minY, maxX, maxY);
        checkLayers(layers);
        return this.leave(this.enter().count(this.at, layers, minX, minY, maxX, maxY));
    }

    windowMany(windows, layers = ALL) {
        checkLayers(layers);
        const n = this.put('windows', windows, 2 * D);
        return this.answers(this.enter().window_many(this.at, layers, n), n, 'windows');
    }

    optimizeStep(budget) { checkWhole('budget', budget); return this.leave(this.enter().optimize_step(this.at, budget)) !== 0; }
}

if (Symbol.dispose) World.prototype[Symbol.dispose] = World.prototype.free;
