// The class of rbush over a world of boxes, with `move` and `moveAll` for items that have changed their boxes in place.
import { running } from './started.js';

/** Infinite edges are no coordinates. */
const LARGEST = Number.MAX_VALUE / 4;
const finite = (at) => Math.min(Math.max(at, -LARGEST), LARGEST);

export default class RBush {
    #extent;
    #world;
    #layer;
    /** By id; `undefined` where that is free. */
    #items;
    #free;
    /** From an item to its id, or to the list of its ids where it was inserted several times; made once it is needed. */
    #ids;

    constructor(_maxEntries = 9, extent = [-1000, -1000, 1000, 1000]) {
        this.#extent = extent;
        this.#begin();
    }

    #begin() {
        this.#world = running().world(...this.#extent, { lists: 'borrowed' });
        this.#layer = this.#world.addBoxLayer();
        this.#items = [];
        this.#free = [];
        this.#ids = undefined;
    }

    toBBox(item) { return item; }
    compareMinX(a, b) { return a.minX - b.minX; }
    compareMinY(a, b) { return a.minY - b.minY; }

    #add(item) {
        const id = this.#free.length ? this.#free.pop() : this.#items.length;
        this.#items[id] = item;
        if (this.#ids) this.#name(item, id);
        return id;
    }

    #name(item, id) {
        const known = this.#ids.get(item);
        this.#ids.set(item, known === undefined ? id : [known, id].flat());
    }

    #forget(item, id) {
        const known = this.#ids?.get(item);
        if (typeof known === 'number') this.#ids.delete(item);
        else if (known) {
            const rest = known.filter((other) => other !== id);
            this.#ids.set(item, rest.length === 1 ? rest[0] : rest);
        }
        this.#items[id] = undefined;
        this.#free.push(id);
    }

    /** Its id, or the list of its ids, wherever its box was when it was inserted. */
    #known(item) {
        if (!this.#ids) {
            this.#ids = new Map();
            this.#items.forEach((item, id) => { if (item !== undefined) this.#name(item, id); });
        }
        return this.#ids.get(item);
    }

    /** The ids of what lies where an item is. */
    #idsAt(item) {
        const { minX, minY, maxX, maxY } = this.toBBox(item);
        return minX <= maxX && minY <= maxY ? this.#world.window(minX, minY, maxX, maxY) : [];
    }

    /** One of its ids. Without a map it is searched where it is: nothing need be kept of those that are never asked for. */
    #idOf(item) {
        if (!this.#ids) {
            const ids = this.#idsAt(item);
            for (let at = 0; at < ids.length; at++) if (this.#items[ids[at]] === item) return ids[at];
        }
        const known = this.#known(item);
        return typeof known === 'object' ? known.at(-1) : known;
    }

    #idOfEqual(item, equals) {
        // A copy, since `equals` may search.
        const ids = this.#idsAt(item).slice();
        for (let at = 0; at < ids.length; at++) if (equals(item, this.#items[ids[at]])) return ids[at];
        return undefined;
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
        return item ? this.#insert(item) : this;
    }

    /** Apart, since a class that extends this one may have its own `insert`, which calls `move`. */
    #insert(item) {
        const { minX, minY, maxX, maxY } = this.toBBox(item), id = this.#add(item);
        try {
            this.#world.insert(this.#layer, id, finite(minX), finite(minY), finite(maxX), finite(maxY));
        } catch (error) {
            this.#forget(item, id);
            throw error;
        }
        return this;
    }

    load(items) {
        if (!items?.length) return this;
        const coords = this.#boxes(items), ids = new Uint32Array(items.length);
        for (let at = 0; at < items.length; at++) ids[at] = this.#add(items[at]);
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
        const id = equals ? this.#idOfEqual(item, equals) : this.#idOf(item);
        if (id === undefined) return this;
        this.#world.remove(id);
        this.#forget(this.#items[id], id);
        return this;
    }

    /** The item has changed its box in place; one that is not there is inserted. Not a method of rbush. */
    move(item) {
        const { minX, minY, maxX, maxY } = this.toBBox(item), known = this.#known(item);
        if (known === undefined) return this.#insert(item);
        const ids = typeof known === 'number' ? [known] : known;
        for (const id of ids) this.#world.move(id, finite(minX), finite(minY), finite(maxX), finite(maxY));
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
    all() { return this.#free.length ? this.#items.filter((item) => item !== undefined) : this.#items.slice(); }

    /** A new world: to drop the old one takes less time than to take out each item. */
    clear() {
        this.#world.free();
        this.#begin();
        return this;
    }

    /** As a tree of rbush with one node. */
    get data() {
        const children = this.all(), [minX, minY, maxX, maxY] = this.#world.bounds() ?? [Infinity, Infinity, -Infinity, -Infinity];
        return { children, height: 1, leaf: true, minX, minY, maxX, maxY };
    }
    toJSON() { return this.data; }
    /** A tree of rbush, with any number of nodes. */
    fromJSON(tree) {
        const items = [];
        for (const nodes = [tree]; nodes.length;) {
            const { children, leaf } = nodes.pop();
            for (const child of children) (leaf ? items : nodes).push(child);
        }
        return this.clear().load(items);
    }
    /** Every later call throws. */
    free() { this.#world.free(); }
}
