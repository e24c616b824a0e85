// A world's memory in the module: where lists go in, and where the lists of an answer lie.
import { checkId, checkList } from './module.js';

/** Whether answers are copies, views that are borrowed until the next call, or such views that throw if they are read later. */
const LISTS = ['own', 'borrowed', 'checked'];
const [OWN, BORROWED] = LISTS;

/** The places of the lists in the head of a world, as lib.rs has them. */
const [IDS, ENDS, NUMBERS, POSITION, NORMALS, TOUCHING, CENTERS] = [0, 1, 2, 3, 4, 5, 6];

export class Memory {
    constructor(module, lists = OWN) {
        if (!LISTS.includes(lists)) throw new TypeError(`lists must be one of ${LISTS.join(', ')}`);
        this.module = module;
        this.D = module.D;
        this.lists = lists;
        this.at = 0;
    }

    enter() {
        if (this.at === 0) throw new Error('this world was freed');
        return this.module.enter();
    }

    leave(result) { return this.module.leave(result); }

    /** A word of the head. Addresses above 2^31 come as negative numbers. */
    head(place) { return this.module.words[(this.at >>> 2) + place]; }

    get position() { return this.head(POSITION); }

    /** A list of the answer, of which `all` shows the whole memory. A copy has a buffer of its own, which can be sent elsewhere. */
    list(all, address, length) {
        const { module, lists } = this, from = address / all.BYTES_PER_ELEMENT;
        if (lists === OWN) return all.slice(from, from + length);
        const view = new all.constructor(module.buffer, address, length);
        return lists === BORROWED ? view : module.checked(view);
    }

    /** The ids of the answer. */
    ids(length) {
        this.module.leave();
        return this.list(this.module.words, this.head(IDS), length);
    }

    numbers(length) { return this.list(this.module.numbers, this.head(NUMBERS), length); }
    normals(length) { return this.list(this.module.numbers, this.head(NORMALS), length); }
    touching(length) { return this.list(this.module.words, this.head(TOUCHING), length); }

    /** Numbers of cells, which may be negative. */
    cellNumbers(length) {
        const { module, lists } = this, view = new Int32Array(module.buffer, this.head(ENDS), length);
        return lists === OWN ? view.slice() : lists === BORROWED ? view : module.checked(view);
    }

    /** The ids of those that came and of those that are gone; so many came. */
    changes(come) {
        this.module.leave();
        const { words } = this.module, at = this.head(IDS);
        return [this.list(words, at, come), this.list(words, at + 4 * come, this.position - come)];
    }

    /** The answers to `n` questions. */
    answers(length, n) {
        return { ids: this.ids(length), ends: this.list(this.module.words, this.head(ENDS) + 4, n) };
    }

    /** The same, and of which objects. */
    neighborhoods(length) {
        this.module.leave();
        const n = this.position;
        return { of: this.list(this.module.words, this.head(CENTERS), n), ...this.answers(length, n) };
    }

    /** Where a list of numbers for the module is written. */
    #room(Type, room, length) {
        const place = this.leave(this.enter()[room](this.at, length)) >>> 0;
        if (place === 0) throw new RangeError(`there is no memory for ${length} numbers`);
        return new Type(this.module.buffer, place, length);
    }

    /** A list in the module's own memory would be lost if that grows. */
    own(list) { return list?.buffer === this.module.buffer ? list.slice() : list; }

    /** Writes numbers in groups of `per`, and returns how many groups there are. */
    put(name, coords, per) {
        checkList(name, coords, per);
        coords = this.own(coords);
        this.#room(this.module.Floats, 'numbers_room', coords.length).set(coords);
        return coords.length / per;
    }

    putIds(ids) {
        checkList('ids', ids, 1);
        if (!(ids instanceof Uint32Array)) for (const id of ids) checkId(id);
        ids = this.own(ids);
        this.#room(Uint32Array, 'ids_room', ids.length).set(ids);
        return ids.length;
    }

    /** Writes consecutive ids. */
    putIdsFrom(first, n) {
        checkId(first);
        checkId(first + Math.max(n, 1) - 1);
        const room = this.#room(Uint32Array, 'ids_room', n);
        for (let at = 0; at < n; at++) room[at] = first + at;
    }
}
