// One instance of the module, for many worlds, and the checks of what is passed to it.

/** All layers. */
export const ALL = -1;
/** No object: ids are below. */
export const NONE = 0xffff_ffff;
const IDS_MAX = 2 ** 26;
/** A module of a few bytes that has an instruction on vectors. */
const VECTORS = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11]);

/**
 * The functions that start a module, whose worlds are of the class `World`. With a source each call starts one; without, all calls
 * share the one from `file`, until it is closed.
 */
export function entry(World, file) {
    let shared, starting, compiled;
    const open = () => (shared?.isClosed ? undefined : shared);
    const started = (instance) => new Quadrille(World, instance);

    async function init(source) {
        requireVectors();
        if (source !== undefined) return started(await WebAssembly.instantiate(await compile(source), {}));
        if (open()) return shared;
        starting ??= compile(compiled ?? file()).then((module) => WebAssembly.instantiate(compiled = module, {})).finally(() => { starting = undefined; });
        const instance = await starting;
        return open() ?? (shared = started(instance));
    }

    /** The same at once, from bytes or a compiled module. Browsers may refuse it on the thread of a page. */
    function initSync(source) {
        requireVectors();
        if (source === undefined && open()) return shared;
        const from = source ?? compiled ?? file();
        if (from instanceof URL) throw new TypeError('initSync needs a source here, the bytes of the module or a compiled one; or begin with `await init()`');
        const made = started(new WebAssembly.Instance(from instanceof WebAssembly.Module ? from : new WebAssembly.Module(from), {}));
        return source === undefined ? (shared = made) : made;
    }

    return { init, initSync };
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
    if (typeof source !== 'string' && !(source instanceof URL) && !(source instanceof Response)) {
        throw new TypeError(`source must be bytes, a compiled module, a URL or a response, not ${say(source)}`);
    }
    const response = source instanceof Response ? source : await fetch(source);
    if (!response.ok) throw new Error(`${response.url} cannot be loaded: ${response.status}`);
    return WebAssembly.compile(await response.arrayBuffer());
}

const CLOSED = 'this module of quadrille is closed, and so are all its worlds: a call ran out of memory, or was trapped, and left them half changed. `init()` makes a new one';

class Quadrille {
    #World;

    constructor(World, instance) {
        this.#World = World;
        this.exports = instance.exports;
        /** The number of dimensions. */
        this.D = this.exports.dimensions();
        this.Floats = this.exports.scalar_bytes() === 4 ? Float32Array : Float64Array;
        /** Whether a call has begun. A call that was trapped is never left. */
        this.isClosed = false;
        /** The number of calls: borrowed lists of earlier ones are stale. */
        this.calls = 0;
        this.refresh();
        this.worlds = new FinalizationRegistry((at) => { if (!this.isClosed) this.exports.world_free(at); });
    }

    world(...extent) {
        return new this.#World(this, ...extent);
    }

    /** A world from the bytes of one. */
    load(bytes, options) {
        return this.#World.load(this, bytes, options);
    }

    enter() {
        if (this.isClosed) throw new Error(CLOSED);
        this.isClosed = true;
        this.calls++;
        return this.exports;
    }

    leave(result) {
        this.isClosed = false;
        // Growth detaches the views. To ask the memory for its buffer would take ten times as long.
        if (this.words.length === 0) this.refresh();
        return result;
    }

    /** Memory has grown: views are made anew. */
    refresh() {
        this.buffer = this.exports.memory.buffer;
        this.words = new Uint32Array(this.buffer);
        this.numbers = new this.Floats(this.buffer);
    }

    /** The numbers themselves, which throw if they are read after another call. */
    checked(view) {
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

/** Makes each public method of a class say plainly if it has lost its object, and if the module was trapped. */
export function guard({ prototype }, what) {
    for (const [name, { value: method }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
        if (typeof method !== 'function' || name === 'constructor') continue;
        prototype[name] = function (...values) {
            if (!(this instanceof prototype.constructor)) throw new TypeError(`${name} is a method: call it on ${what}, as in ${what.split(' ').at(-1)}.${name}(…)`);
            try {
                return method.apply(this, values);
            } catch (cause) {
                throw cause instanceof WebAssembly.RuntimeError ? new Error(CLOSED, { cause }) : cause;
            }
        };
    }
}

const say = (value) => (typeof value === 'string' ? JSON.stringify(value) : typeof value === 'symbol' ? 'a symbol' : Array.isArray(value) ? 'a list' : String(value));

export function checkNumber(name, value) {
    if (typeof value !== 'number') throw new TypeError(`${name} must be a number, not ${say(value)}`);
    if (value !== value) throw new RangeError(`${name} is NaN`);
}

/** Points with their names as an object: minX, … */
export const named = (D, points, numbers) => Object.fromEntries(points.flatMap((point) => ['X', 'Y', 'Z'].slice(0, D).map((axis) => point + axis)).map((name, at) => [name, numbers[at]]));

const isNumber = (value) => typeof value === 'number' && value === value;
export function checkPoint(D, name, a, b, c) {
    if (isNumber(a) && isNumber(b) && (D === 2 || isNumber(c))) return;
    for (const [axis, value] of Object.entries(named(D, [name], [a, b, c]))) checkNumber(axis, value);
}

const isSpan = (min, max) => typeof min === 'number' && typeof max === 'number' && min <= max;
/** Whether numbers are the corners of a box, in the plane or in space; infinite ones are fine for a window. */
export const isBox = (D, a, b, c, d, e, f) => (D === 2 ? isSpan(a, c) && isSpan(b, d) : isSpan(a, d) && isSpan(b, e) && isSpan(c, f));
export const CORNERS = ['min', 'max'];
export function checkBox(D, a, b, c, d, e, f) {
    if (!isBox(D, a, b, c, d, e, f)) refuse(named(D, CORNERS, [a, b, c, d, e, f]));
}

/** Throws what is wrong with the corners of a box, given as an object: minX, … maxX, …; or with a point. */
export function refuse(numbers, where = '') {
    for (const name in numbers) checkNumber(where + name, numbers[name]);
    for (const name in numbers) {
        const max = name.replace('min', 'max');
        if (name !== max && numbers[name] > numbers[max]) throw new RangeError(`${where}${name} is ${numbers[name]}, more than ${max}, which is ${numbers[max]}`);
    }
    for (const at of [Number, Math.fround]) {
        for (const name in numbers) if (!Number.isFinite(at(numbers[name]))) throw new RangeError(`${where}${name} is ${numbers[name]}, beyond the numbers of this module`);
    }
}

/** A misspelt option would give the answer of another question. */
export function checkOptions(options, known, name = 'options') {
    if (typeof options !== 'object' || options === null) throw new TypeError(`${name} must be an object, such as { ${known.at(-1)} }, not ${say(options)}`);
    for (const option in options) if (!known.includes(option)) throw new TypeError(`${name} has no ${say(option)}: there are ${known.join(', ')}`);
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

/** Those of a query, all by default. */
export function layersOf(layers = ALL) {
    checkLayers(layers);
    return layers;
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

/** Its instances are also checked lists. */
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
