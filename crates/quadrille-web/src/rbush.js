// The class of rbush over a world of boxes, with `move` and `moveAll` for items that have changed their boxes in place.
import { init } from './index.js';

const quadrille = await init();
/** Infinite edges are no coordinates. */
const LARGEST = Number.MAX_VALUE / 4;
const finite = (at) => Math.min(Math.max(at, -LARGEST), LARGEST);

export default class RBush {
    #world;
    #layer;
    #items = [];
    #free = [];
    /** From an item to its id, or to the list of its ids where it was inserted several times. */
    #ids = new Map();

    constructor(_maxEntries = 9, extent = [-1000, -1000, 1000, 1000]) {
        this.#world = quadrille.world(...extent);
        this.#layer = this.#world.addBoxLayer();
    }

    toBBox(item) { return item; }
    compareMinX(a, b) { return a.minX - b.minX; }
    compareMinY(a, b) { return a.minY - b.minY; }

    #add(item) {
        const id = this.#free.pop() ?? this.#items.length;
        this.#items[id] = item;
        const known = this.#ids.get(item);
        this.#ids.set(item, known === undefined ? id : [known, id].flat());
        return id;
    }

    #forget(item, id) {
        const known = this.#ids.get(item);
        if (typeof known === 'number') this.#ids.delete(item);
        else {
            const rest = known.filter((other) => other !== id);
            this.#ids.set(item, rest.length === 1 ? rest[0] : rest);
        }
        this.#items[id] = undefined;
        this.#free.push(id);
    }

    #box(item) {
        const { minX, minY, maxX, maxY } = this.toBBox(item);
        return [finite(minX), finite(minY), finite(maxX), finite(maxY)];
    }

    #boxes(items) {
        const coords = new Float64Array(4 * items.length);
        for (let at = 0; at < items.length; at++) {
            const { minX, minY, maxX, maxY } = this.toBBox(items[at]);
            coords[4 * at] = finite(minX);
            coords[4 * at + 1] = finite(minY);
            coords[4 * at + 2] = finite(maxX);
            coords[4 * at + 3] = finite(maxY);
        }
        return coords;
    }

    insert(item) {
        if (!item) return this;
        const box = this.#box(item), id = this.#add(item);
        try {
            this.#world.insert(this.#layer, id, ...box);
        } catch (error) {
            this.#forget(item, id);
            throw error;
        }
        return this;
    }

    load(items) {
        if (!items?.length) return this;
        const coords = this.#boxes(items), ids = Uint32Array.from(items, (item) => this.#add(item));
        try {
            this.#world.insertBoxes(this.#layer, ids, coords);
        } catch (error) {
            ids.forEach((id, at) => this.#forget(items[at], id));
            throw error;
        }
        return this;
    }

    remove(item, equals) {
        if (!item) return this;
        const found = equals ? this.search(this.toBBox(item)).find((other) => equals(item, other)) : item;
        const known = this.#ids.get(found);
        if (known === undefined) return this;
        const id = typeof known === 'number' ? known : known.at(-1);
        this.#world.remove(id);
        this.#forget(found, id);
        return this;
    }

    /** The item has changed its box in place. Not a method of rbush. */
    move(item) {
        const known = this.#ids.get(item);
        if (known === undefined) return this;
        const box = this.#box(item);
        for (const id of [known].flat()) this.#world.move(id, ...box);
        return this;
    }

    /** Any number of items have changed their boxes in place. Not a method of rbush. */
    moveAll() {
        const ids = [];
        for (let id = 0; id < this.#items.length; id++) if (this.#items[id] !== undefined) ids.push(id);
        this.#world.moveBoxes(Uint32Array.from(ids), this.#boxes(this.all()));
        return this;
    }

    search({ minX, minY, maxX, maxY }) {
        const ids = this.#world.window(minX, minY, maxX, maxY), found = new Array(ids.length);
        for (let at = 0; at < ids.length; at++) found[at] = this.#items[ids[at]];
        return found;
    }

    collides({ minX, minY, maxX, maxY }) { return this.#world.any(minX, minY, maxX, maxY); }
    all() { return this.#items.filter((item) => item !== undefined); }

    clear() {
        this.#world.clear();
        this.#items.length = this.#free.length = 0;
        this.#ids.clear();
        return this;
    }

    /** Lists of the items: no tree of rbush. */
    toJSON() { return this.all(); }
    get data() { return this.all(); }
    fromJSON(items) { return this.clear().load(items); }
    free() { this.#world.free(); }
}
