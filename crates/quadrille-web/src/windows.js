// A world with insertions, moves, removals and windows. `world.js` adds the rest.
//
// Methods for the plane and for space are the same. Coordinates come as a, b, c …: the corners of a box are a to d in the plane and
// a to f in space, and the next argument follows. Functions of the module ignore arguments beyond theirs.
import { Memory } from './memory.js';
import { ALL, CORNERS, checkBox, checkId, checkLayers, checkOptions, checkWhole, guard, layersOf, named, refuse } from './module.js';
import { checkLoad, read, write } from './saved.js';

/** As in lib.rs. */
const REFUSALS = [, , 'NOT_FINITE', 'is in use', 'the layer or the object is of points, and this is a box, or the reverse', 'is too large', 'there is no memory for it', 'is named twice'];
const [NO_OBJECT, NOT_FINITE, , WRONG_KIND] = [1, 2, 3, 4];

/** A bit for each axis on which the world wraps around. */
function axes(periodic, D) {
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
    #wraps;
    /** Of each layer whether it holds boxes. */
    #kinds = [];

    /** The world of bytes that `save` has returned. */
    static load(module, bytes, options) {
        const { lists } = checkLoad(options), { extent, periodic, layers } = read(module, bytes);
        const world = new this(module, ...extent, { periodic, ...lists !== undefined && { lists } });
        try {
            for (const { boxes, ids, numbers } of layers) {
                const layer = boxes ? world.addBoxLayer() : world.addPointLayer();
                if (boxes) world.insertBoxes(layer, ids, numbers);
                else world.insertPoints(layer, ids, numbers);
            }
        } catch (cause) {
            world.free();
            throw cause;
        }
        return world;
    }

    /** Its layers and objects, not its watches, as bytes. */
    save() {
        const extent = this.leave(this.enter().extent(this.at)) && this.numbers(2 * this.D).slice();
        const layers = this.#kinds.map((boxes, layer) => ({
            boxes,
            count: this.sizeOf(1 << layer),
            read: () => { const ids = this.ids(this.enter().objects(this.at, layer)); return { ids, numbers: this.numbers(ids.length * this.#per(boxes)) }; },
        }));
        return write(this.module, this.#wraps, extent, layers);
    }

    constructor(module, ...of) {
        const { D } = module, [a, b, c, d, e, f] = of, { [2 * D]: options = {} } = of;
        checkBox(D, a, b, c, d, e, f);
        checkOptions(options, ['periodic', 'lists']);
        super(module, options.lists);
        const wraps = axes(options.periodic ?? false, D);
        if (wraps && !module.exports.periodic) throw new TypeError('periodic: worlds that wrap around are in quadrille/periodic');
        this.at = this.leave(module.enter().world_new(wraps, a, b, c, d, e, f));
        if (this.at === 0) {
            const extent = named(D, CORNERS, of);
            refuse(extent);
            throw new RangeError(`${Object.keys(extent).join(', ')} are ${Object.values(extent).join(', ')}: a world must have a size on each axis, and its numbers a place for each part of it`);
        }
        this.layers = 0;
        this.#wraps = wraps;
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
        const per = this.#per(boxes);
        [ids, coords] = [this.own(ids), this.own(coords)];
        if (layer !== undefined) this.#checkRoom(layer, Math.ceil(coords?.length / per));
        const n = this.put('coords', coords, per);
        if (typeof ids === 'number') this.putIdsFrom(ids, n);
        else if (this.putIds(ids) !== n) throw new RangeError(`ids has ${ids.length} numbers, but there are ${n} shapes`);
        return [n, ids];
    }

    /** How many numbers a shape has. */
    #per(boxes) { return boxes ? 2 * this.D : this.D; }

    /** A call that runs out of memory closes the module. */
    #checkRoom(layer, n) {
        if (this.leave(this.enter().has_room(this.at, layer, n))) return;
        throw new RangeError(`coords: there is no memory for ${n} more objects: a module has 4 GB at most`);
    }

    /** Says what is wrong with the shape of a list at which a call stopped. */
    #refuseIn(name, list, per) {
        const at = this.position;
        refuse(named(this.D, CORNERS.slice(0, per / this.D), list.slice(per * at, per * (at + 1))), `${name}: in number ${at} `);
        throw new RangeError(`${name}: number ${at} is no shape`);
    }

    #addLayer(boxes) {
        const layer = this.layers < 32 ? this.leave(this.enter().layer_add(this.at, boxes)) : -1;
        if (layer < 0) throw new RangeError('a world has at most 32 layers');
        this.#kinds.push(boxes);
        return this.layers++, layer;
    }

    addPointLayer() { return this.#addLayer(0); }
    addBoxLayer() { return this.#addLayer(1); }

    get size() { return this.leave(this.enter().size(this.at, ALL)); }
    sizeOf(layers) { checkLayers(layers); return this.leave(this.enter().size(this.at, layers)); }
    clear(layers) { layers = layersOf(layers); this.leave(this.enter().clear(this.at, layers)); }
    has(id) { checkId(id); return this.leave(this.enter().has(this.at, id)) !== 0; }

    shape(id) {
        checkId(id);
        return this.leave(this.enter().shape(this.at, id)) ? this.numbers(2 * this.D) : undefined;
    }

    #refuse(status, id, corners) {
        if (status === NOT_FINITE) refuse(named(this.D, CORNERS, corners));
        throw new (status === WRONG_KIND ? TypeError : RangeError)(`id ${id}: ${REFUSALS[status]}`);
    }

    // The upper corner is by default the lower one.
    insert(layer, id, a, b, c = this.D === 2 ? a : undefined, d = this.D === 2 ? b : a, e = b, f = c) {
        checkLayer(this, layer);
        checkId(id);
        checkBox(this.D, a, b, c, d, e, f);
        const status = this.leave(this.enter().insert(this.at, layer, id, a, b, c, d, e, f));
        if (status) this.#refuse(status, id, [a, b, c, d, e, f]);
    }

    move(id, a, b, c = this.D === 2 ? a : undefined, d = this.D === 2 ? b : a, e = b, f = c) {
        checkId(id);
        checkBox(this.D, a, b, c, d, e, f);
        const status = this.leave(this.enter().move_to(this.at, id, a, b, c, d, e, f));
        if (status > NO_OBJECT) this.#refuse(status, id, [a, b, c, d, e, f]);
        return status === 0;
    }

    #insertMany(layer, ids, coords, boxes) {
        checkLayer(this, layer);
        const [n, own] = this.#putBatch(ids, coords, boxes, layer);
        const status = this.leave(this.enter().insert_many(this.at, layer, n, boxes));
        if (status === NOT_FINITE) this.#refuseIn('coords', coords, this.#per(boxes));
        if (status === WRONG_KIND) throw new TypeError(`layer ${layer} is of ${boxes ? 'points, and these are boxes' : 'boxes, and these are points'}`);
        if (status) this.#refuse(status, typeof own === 'number' ? own + this.position : own[this.position]);
    }

    insertPoints(layer, ids, coords) { this.#insertMany(layer, ids, coords, 0); }
    insertBoxes(layer, ids, coords) { this.#insertMany(layer, ids, coords, 1); }

    #moveMany(ids, coords, boxes) {
        const [n] = this.#putBatch(ids, coords, boxes);
        const refused = this.leave(this.enter().move_many(this.at, n, boxes));
        if (refused === -2) throw new RangeError(`there is no memory for ${n} moves`);
        if (refused < 0) this.#refuseIn('coords', coords, this.#per(boxes));
        return refused;
    }

    movePoints(ids, coords) { return this.#moveMany(ids, coords, 0); }
    moveBoxes(ids, coords) { return this.#moveMany(ids, coords, 1); }
    remove(id) { checkId(id); return this.leave(this.enter().remove(this.at, id)) !== 0; }

    removeMany(ids) {
        const n = this.putIds(ids);
        return this.leave(this.enter().remove_many(this.at, n));
    }

    window(a, b, c, d, e, f, g) {
        const layers = this.#boxed(a, b, c, d, e, f, g);
        return this.ids(this.enter().window(this.at, layers, a, b, c, d, e, f));
    }

    some(limit, a, b, c, d, e, f, g) {
        checkWhole('limit', limit);
        const layers = this.#boxed(a, b, c, d, e, f, g);
        return this.ids(this.enter().some(this.at, layers, limit, a, b, c, d, e, f));
    }

    any(a, b, c, d, e, f, g) {
        const layers = this.#boxed(a, b, c, d, e, f, g);
        return this.leave(this.enter().any(this.at, layers, a, b, c, d, e, f)) !== 0;
    }

    count(a, b, c, d, e, f, g) {
        const layers = this.#boxed(a, b, c, d, e, f, g);
        return this.leave(this.enter().count(this.at, layers, a, b, c, d, e, f));
    }

    /** Checks a box, and returns the layers that follow it. */
    #boxed(a, b, c, d, e, f, g) {
        checkBox(this.D, a, b, c, d, e, f);
        return layersOf(this.D === 2 ? e : g);
    }

    windowMany(windows, layers) {
        layers = layersOf(layers);
        const per = 2 * this.D, n = this.put('windows', windows, per);
        const length = this.leave(this.enter().window_many(this.at, layers, n));
        if (length < 0) this.#refuseIn('windows', windows, per);
        return this.answers(length, n);
    }

    optimizeStep(budget) { checkWhole('budget', budget); return this.leave(this.enter().optimize_step(this.at, budget)) !== 0; }
}

guard(World, 'a world');
if (Symbol.dispose) World.prototype[Symbol.dispose] = World.prototype.free;
