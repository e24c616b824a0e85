// Objects that move, and questions about them. All numbers are multiples of 1/64: 32 bits hold them exactly, and squares of their
// differences are exact, so that all contenders must give the same answers.

const GRAIN = 64;
/** The mean distance of neighbours, where objects are spread evenly. */
const SPACING = 10;
/** The sides of boxes. */
export const [SMALLEST, LARGEST] = [2, 6];

export class Scene {
    #seed = 1;

    /** `kind` is points or boxes; `spread` is even, or crowds: four fifths of the objects in twelve places. */
    constructor({ kind, spread, n }) {
        Object.assign(this, { kind, spread, n, per: kind === 'points' ? 2 : 4, largest: kind === 'points' ? 0 : LARGEST });
        this.side = Math.ceil(Math.sqrt(n) * SPACING);
        this.coords = new Float64Array(this.per * n);
        /** The same for those who store 32 bits. */
        this.coords32 = new Float32Array(this.per * n);
        this.steps = Float64Array.from({ length: 2 * n }, () => this.#number(2) - 1);
        for (let id = 0; id < n; id++) this.#place(id, spread === 'crowds' && id % 5 ? this.#inCrowd(id % 12) : [this.#number(this.side), this.#number(this.side)]);
        this.coords32.set(this.coords);
    }

    #random() { return (this.#seed = (Math.imul(this.#seed, 1664525) + 1013904223) >>> 0) / 2 ** 32; }
    #number(below) { return Math.floor(this.#random() * below * GRAIN) / GRAIN; }

    #inCrowd(number) {
        const middle = [(0.15 + 0.2 * (number % 4)) * this.side, (0.2 + 0.3 * (number % 3)) * this.side], size = 0.03 * this.side;
        return middle.map((at) => Math.floor((at + (this.#random() + this.#random() - 1) * size) * GRAIN) / GRAIN);
    }

    #place(id, min) {
        for (let axis = 0; axis < 2; axis++) {
            const size = this.per === 2 ? 0 : SMALLEST + this.#number(LARGEST - SMALLEST), at = Math.min(min[axis], this.side - size);
            this.coords[this.per * id + axis] = at;
            if (this.per === 4) this.coords[4 * id + 2 + axis] = at + size;
        }
    }

    /** A step of these objects; who meets the edge of the world turns round. */
    fly(ids) {
        const { coords, coords32, per, steps, side } = this;
        for (const id of ids) {
            for (let axis = 0; axis < 2; axis++) {
                const min = per * id + axis, max = min + per - 2, step = steps[2 * id + axis];
                if (coords[min] + step < 0 || coords[max] + step > side) { steps[2 * id + axis] = -step; continue; }
                coords32[min] = coords[min] += step;
                if (per === 4) coords32[max] = coords[max] += step;
            }
        }
    }

    /** Different objects, at random. */
    some(count) {
        const ids = new Set();
        while (ids.size < count) ids.add(Math.floor(this.#random() * this.n));
        return Uint32Array.from(ids);
    }

    /** Places: anywhere, or where crowds are, at objects. */
    places(count) {
        const places = new Float64Array(2 * count);
        for (let at = 0; at < 2 * count; at += 2) {
            const id = this.spread === 'crowds' ? Math.floor(this.#random() * this.n) : -1;
            for (let axis = 0; axis < 2; axis++) places[at + axis] = id < 0 ? this.#number(this.side) : this.coords[this.per * id + axis];
        }
        return places;
    }

    windows(count, size) {
        const places = this.places(count), windows = new Float64Array(4 * count);
        for (let at = 0; at < count; at++) {
            const x = places[2 * at], y = places[2 * at + 1];
            windows.set([x, y, x + size, y + size], 4 * at);
        }
        return windows;
    }

    /** The square of the distance from a place to an object. */
    distance2(id, x, y) {
        const { coords, per } = this, at = per * id, max = at + per - 2;
        const dx = x < coords[at] ? coords[at] - x : x > coords[max] ? x - coords[max] : 0;
        const dy = y < coords[at + 1] ? coords[at + 1] - y : y > coords[max + 1] ? y - coords[max + 1] : 0;
        return dx * dx + dy * dy;
    }

    /** Whether two objects are within a distance of each other. */
    areNear(one, other, distance) {
        const { coords, per } = this, a = per * one, b = per * other, max = per - 2;
        const dx = Math.max(0, coords[a] - coords[b + max], coords[b] - coords[a + max]);
        const dy = Math.max(0, coords[a + 1] - coords[b + max + 1], coords[b + 1] - coords[a + max + 1]);
        return dx * dx + dy * dy <= distance * distance;
    }
}

/** Adds the answer to one question to a sum that depends on the order of questions, not on that within an answer. */
export const mix = (sum, answer) => (Math.imul(sum, 31) + answer) | 0;
/** A number for a pair, in whichever order. */
export const pairKey = (one, other) => Math.imul(Math.min(one, other) ^ 0x9e37, Math.max(one, other) + 1);
