// Dense ids for keys of any kind: names, objects, sparse numbers.

export class Ids {
    #ids = new Map();
    #keys = [];
    #free = [];

    get size() { return this.#ids.size; }

    /** The id of a key; a new one if it has none. */
    add(key) {
        const known = this.#ids.get(key);
        if (known !== undefined) return known;
        const id = this.#free.pop() ?? this.#keys.length;
        this.#ids.set(key, id);
        this.#keys[id] = key;
        return id;
    }

    /** The ids of many keys, for a batch. */
    addMany(keys) { return Uint32Array.from(keys, (key) => this.add(key)); }

    /** The keys of an answer. */
    keysOf(ids) { return Array.from(ids, (id) => this.#keys[id]); }

    get(key) { return this.#ids.get(key); }

    /** The key of an id. */
    key(id) { return this.#keys[id]; }

    /** Forgets a key, and returns the id that it had: another key may get it. */
    delete(key) {
        const id = this.#ids.get(key);
        if (id === undefined) return undefined;
        this.#ids.delete(key);
        this.#keys[id] = undefined;
        this.#free.push(id);
        return id;
    }

    clear() {
        this.#ids.clear();
        this.#keys.length = this.#free.length = 0;
    }

    keys() { return this.#ids.keys(); }
}
