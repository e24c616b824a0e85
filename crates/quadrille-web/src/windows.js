// A world with insertions, moves, removals and windows. `world.js` adds the rest.
import { Memory } from './memory.js';
import { ALL, checkId, checkLayers, checkOptions, checkWhole, guard, isBox2, isBox3, refuse } from './module.js';

export const D = 2;
export const isBox = D === 2 ? isBox2 : isBox3;
export function checkBox(minX, minY, maxX, maxY) {
    if (!isBox(minX, minY, maxX, maxY)) refuse({ minX, minY, maxX, maxY });
}
const CORNERS = ['min', 'max'].flatMap((end) => ['X', 'Y', 'Z'].slice(0, D).map((axis) => end + axis));
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

export function checkLayer({ layers }, layer) {
    if (typeof layer === 'number' && (layer >>> 0) === layer && layer < layers) return;
    if (typeof layer !== 'number') throw new TypeError('layer must be a number, as addPointLayer and addBoxLayer return');
    throw new RangeError(`layer is ${layer}: this world has ${layers}`);
}

export class World extends Memory {
    constructor(module, minX, minY, maxX, maxY, options = {}) {
        checkBox(minX, minY, maxX, maxY);
        checkOptions(options, ['periodic', 'lists']);
        super(module, options.lists);
        const wraps = axes(options.periodic ?? false);
        if (wraps && !module.exports.periodic) throw new TypeError('periodic: worlds that wrap around are in quadrille/periodic');
        this.at = this.leave(module.enter().world_new(wraps, minX, minY, maxX, maxY));
        if (this.at === 0) {
            refuse({ minX, minY, maxX, maxY });
            throw new RangeError(`minX, minY, maxX, maxY are ${[minX, minY, maxX, maxY].join(', ')}: a world must have a size on each axis, and its numbers a place for each part of it`);
        }
        this.layers = 0;
        this.wraps = wraps !== 0;
        module.worlds.register(this, this.at, this);
    }

    /** Frees its memory. Every later call throws. */
    free() {
        if (this.at === 0) return;
        const { module, at } = this;
        module.worlds.unregister(this);
        this.at = 0;
        if (!module.isClosed) module.leave(module.enter().world_free(at));
    }

    /** Shapes with their ids: a list, or the first of consecutive ones. */
    #putBatch(ids, coords, boxes, layer) {
        [ids, coords] = [this.own(ids), this.own(coords)];
        if (layer !== undefined) this.#checkRoom(layer, Math.ceil(coords?.length / (boxes ? 2 * D : D)));
        const n = this.put('coords', coords, boxes ? 2 * D : D);
        if (typeof ids === 'number') this.putIdsFrom(ids, n);
        else if (this.putIds(ids) !== n) throw new RangeError(`ids has ${ids.length} numbers, but there are ${n} shapes`);
        return [n, ids];
    }

    /** A call that runs out of memory closes the module. */
    #checkRoom(layer, n) {
        if (this.leave(this.enter().has_room(this.at, layer, n))) return;
        throw new RangeError(`coords: there is no memory for ${n} more objects: a module has 4 GB at most`);
    }

    /** Says what is wrong with the shape of a list at which a call stopped. */
    #refuseIn(name, list, per) {
        const at = this.position, shape = [...list.slice(per * at, per * (at + 1))];
        refuse(Object.fromEntries(shape.map((number, place) => [CORNERS[place], number])), `${name}: in number ${at} `);
        throw new RangeError(`${name}: number ${at} is no shape`);
    }

    #addLayer(boxes) {
        const layer = this.layers < 32 ? this.leave(this.enter().layer_add(this.at, boxes)) : -1;
        if (layer < 0) throw new RangeError('a world has at most 32 layers');
        return this.layers++, layer;
    }

    addPointLayer() { return this.#addLayer(0); }
    addBoxLayer() { return this.#addLayer(1); }

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

    insert(layer, id, minX, minY, maxX = minX, maxY = minY) {
        checkLayer(this, layer);
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
        checkLayer(this, layer);
        const [n, own] = this.#putBatch(ids, coords, boxes, layer);
        const status = this.leave(this.enter().insert_many(this.at, layer, n, boxes));
        if (status === NOT_FINITE) this.#refuseIn('coords', coords, boxes ? 2 * D : D);
        if (status === WRONG_KIND) throw new TypeError(`layer ${layer} is of ${boxes ? 'points, and these are boxes' : 'boxes, and these are points'}`);
        if (status) this.#refuse(status, typeof own === 'number' ? own + this.position : own[this.position]);
    }

    insertPoints(layer, ids, coords) { this.#insertMany(layer, ids, coords, 0); }
    insertBoxes(layer, ids, coords) { this.#insertMany(layer, ids, coords, 1); }

    #moveMany(ids, coords, boxes) {
        const [n] = this.#putBatch(ids, coords, boxes);
        const refused = this.leave(this.enter().move_many(this.at, n, boxes));
        if (refused === -2) throw new RangeError(`there is no memory for ${n} moves`);
        if (refused < 0) this.#refuseIn('coords', coords, boxes ? 2 * D : D);
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
        const length = this.leave(this.enter().window_many(this.at, layers, n));
        if (length < 0) this.#refuseIn('windows', windows, 2 * D);
        return this.answers(length, n);
    }

    optimizeStep(budget) { checkWhole('budget', budget); return this.leave(this.enter().optimize_step(this.at, budget)) !== 0; }
}

guard(World, 'a world');
if (Symbol.dispose) World.prototype[Symbol.dispose] = World.prototype.free;
