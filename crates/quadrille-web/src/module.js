// One instance of the module, for many worlds, and the checks of what is passed to it.

/** All layers. */
export const ALL = -1;
/** No object: ids are below. */
export const NONE = 0xffff_ffff;
const IDS_MAX = 2 ** 26;
/** A module of a few bytes that has an instruction on vectors. */
const VECTORS = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11]);

/** Compiles and starts a module, whose worlds are of the class `World`. */
export async function start(World, url, source, { debug = false } = {}) {
    requireVectors();
    const compiled = await compile(source ?? url);
    return new Quadrille(World, await WebAssembly.instantiate(compiled, {}), debug);
}

/** The same at once, from bytes or a compiled module. Browsers may refuse it on the thread of a page. */
export function startSync(World, source, { debug = false } = {}) {
    requireVectors();
    const compiled = source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source);
    return new Quadrille(World, new WebAssembly.Instance(compiled, {}), debug);
}

function requireVectors() {
    if (!WebAssembly.validate(VECTORS)) throw new Error('quadrille needs WebAssembly with SIMD: Chrome 91, Firefox 89, Safari 16.4, Node 16.4 or later');
}

async function compile(source) {
    source = await source;
    if (source instanceof WebAssembly.Module) return source;
    if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
    if (source instanceof URL && source.protocol === 'file:') {
        // Under a name that no bundler follows.
        const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ ['node', 'fs/promises'].join(':'));
        return WebAssembly.compile(await readFile(source));
    }
    const response = source instanceof Response ? source : await fetch(source);
    if (!response.ok) throw new Error(`${response.url} cannot be loaded: ${response.status}`);
    return WebAssembly.compile(await response.arrayBuffer());
}

class Quadrille {
    #World;

    constructor(World, instance, debug) {
        this.#World = World;
        this.exports = instance.exports;
        this.debug = debug;
        /** Whether a call has begun: if it is never left, it was trapped. */
        this.inside = false;
        /** The number of calls: lists of earlier ones are stale. */
        this.calls = 0;
        this.refresh();
        this.worlds = new FinalizationRegistry((at) => { if (!this.inside) this.exports.world_free(at); });
    }

    world(...extent) {
        return new this.#World(this, ...extent);
    }

    enter() {
        if (this.inside) throw new Error('this instance of quadrille is closed: an earlier call was trapped and left it half changed');
        this.inside = true;
        this.calls++;
        return this.exports;
    }

    leave(result) {
        this.inside = false;
        // Growth detaches the views. To ask the memory for its buffer would take ten times as long.
        if (this.words.length === 0) this.refresh();
        return result;
    }

    /** Memory has grown: views are made anew. */
    refresh() {
        this.buffer = this.exports.memory.buffer;
        this.words = new Uint32Array(this.buffer);
    }

    /** A borrowed list. In a debug build it refuses to be read after another call. */
    list(Type, at, length) {
        const view = new Type(this.buffer, at, length);
        if (!this.debug) return view;
        const made = this.calls;
        return new Proxy(view, {
            get: (target, name) => {
                if (made !== this.calls) throw new Error('this list is stale: it was borrowed until the next call; `slice` keeps a copy');
                const value = Reflect.get(target, name, target);
                return typeof value === 'function' ? value.bind(target) : value;
            },
        });
    }
}

const say = (value) => (typeof value === 'string' ? JSON.stringify(value) : typeof value === 'symbol' ? 'a symbol' : Array.isArray(value) ? 'a list' : String(value));

export function checkNumber(name, value) {
    if (typeof value !== 'number') throw new TypeError(`${name} must be a number, not ${say(value)}`);
    if (value !== value) throw new RangeError(`${name} is NaN`);
}

const isSpan = (min, max) => typeof min === 'number' && typeof max === 'number' && min <= max;
/** Whether numbers are the corners of a box, in the plane or in space; infinite ones are fine for a window. */
export const isBox2 = (x, y, u, v) => isSpan(x, u) && isSpan(y, v);
export const isBox3 = (x, y, z, u, v, w) => isSpan(x, u) && isSpan(y, v) && isSpan(z, w);

/** Throws what is wrong with the corners of a box, given as an object: minX, … maxX, …; or with a point. */
export function refuse(numbers) {
    for (const name in numbers) checkNumber(name, numbers[name]);
    for (const name in numbers) {
        const max = name.replace('min', 'max');
        if (name !== max && numbers[name] > numbers[max]) throw new RangeError(`${name} is ${numbers[name]}, more than ${max}, which is ${numbers[max]}`);
    }
    for (const at of [Number, Math.fround]) {
        for (const name in numbers) if (!Number.isFinite(at(numbers[name]))) throw new RangeError(`${name} is ${numbers[name]}, beyond the numbers of this module`);
    }
    throw new RangeError(`${Object.keys(numbers)} is no shape here: ${Object.values(numbers)}`);
}

/** As the bits of layers in their place would pass unseen. */
export function checkOptions(options) {
    if (typeof options !== 'object' || options === null) throw new TypeError(`options must be an object, such as { layers }, not ${say(options)}`);
}

export function checkId(id) {
    if (typeof id === 'number' && (id >>> 0) === id && id < IDS_MAX) return;
    if (typeof id !== 'number') throw new TypeError(`id must be a number, not ${say(id)}`);
    throw new RangeError(`id is ${id}: ids are whole numbers from 0 to ${IDS_MAX - 1}; for others see Ids`);
}

export function checkLayers(layers, name = 'layers') {
    if (typeof layers === 'number' && ((layers | 0) === layers || (layers >>> 0) === layers)) return;
    const error = typeof layers === 'number' ? RangeError : TypeError;
    throw new error(`${name} is ${say(layers)}: it must be a set of bits, such as 1 << walls | 1 << units`);
}

export function checkWhole(name, value) {
    checkNumber(name, value);
    if ((value >>> 0) === value) return;
    throw new RangeError(`${name} is ${value}: it must be a whole number from 0 to 4294967295`);
}

export function checkDistance(name, value) {
    checkNumber(name, value);
    if (value < 0) throw new RangeError(`${name} is ${value}: it must not be negative`);
}

/** Its instances are also the lists of a debug build. */
const TypedArray = Object.getPrototypeOf(Uint8Array);

/** A list of numbers, in groups of `per`. */
export function checkList(name, list, per) {
    if (Array.isArray(list)) {
        for (let at = 0; at < list.length; at++) if (typeof list[at] !== 'number') throw new TypeError(`${name}[${at}] must be a number, not ${say(list[at])}`);
    } else if (!(list instanceof TypedArray) || list instanceof BigInt64Array || list instanceof BigUint64Array) {
        throw new TypeError(`${name} must be a list of numbers, not ${say(list)}`);
    } else if (list.length === 0) {
        checkAttached(name, list);
    }
    if (list.length % per !== 0) throw new RangeError(`${name} has ${list.length} numbers: they come in groups of ${per}`);
}

function checkAttached(name, list) {
    try {
        new Uint8Array(list.buffer);
    } catch {
        throw new TypeError(`${name} is a view of a detached buffer`);
    }
}
