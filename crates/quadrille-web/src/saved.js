// Worlds as bytes: a head of words, the extent, then each layer with its ids and corners. All parts begin at multiples of 8 bytes.
// Trees are built anew: to save them too, each module would need the code for it.
import { checkOptions } from './module.js';

const MAGIC = 0x6c72_6471, VERSION = 1, HEAD = 32, SUM = 7;
const padded = (length) => length + 7 & ~7;

/** A sum that the change of any one word changes; the place of the sum itself is left out. */
function sum(words) {
    let sum = 0x811c_9dc5;
    for (let at = 0; at < words.length; at++) if (at !== SUM) sum = Math.imul(sum ^ words[at], 0x0100_0193);
    return sum >>> 0;
}

/** Writes what is known of a world: its extent and layers, each with a function that gives its ids and corners. */
export function write({ Floats, D }, periodic, extent, layers) {
    const size = Floats.BYTES_PER_ELEMENT, per = (boxes) => (boxes ? 2 * D : D);
    const lengths = layers.map(({ boxes, count }) => 8 + padded(4 * count) + padded(size * per(boxes) * count));
    const length = lengths.reduce((sum, length) => sum + length, HEAD + padded(size * 2 * D));
    const bytes = new Uint8Array(length), words = new Uint32Array(bytes.buffer);
    words.set([MAGIC, VERSION, D, size, periodic, layers.length, length / 8]);
    new Floats(bytes.buffer, HEAD).set(extent);
    let at = HEAD + padded(size * 2 * D);
    for (const [number, { boxes, count, read }] of layers.entries()) {
        const { ids, numbers } = read();
        words.set([boxes, count], at / 4);
        words.set(ids, at / 4 + 2);
        new Floats(bytes.buffer, at + 8 + padded(4 * count), numbers.length).set(numbers);
        at += lengths[number];
    }
    words[SUM] = sum(words);
    return bytes;
}

/** Reads them again, for a module of the same numbers. Whatever is torn is refused. */
export function read({ Floats, D, exports }, source) {
    if (!(source instanceof ArrayBuffer) && !ArrayBuffer.isView(source)) throw new TypeError('bytes must be those that `save` has returned');
    // A copy of its own begins at a multiple of 8 bytes, and nobody writes to it.
    const { buffer } = source instanceof ArrayBuffer ? new Uint8Array(source.slice(0)) : new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice();
    const torn = () => new RangeError('bytes: these are no world, or not all of it, or something else was written into them');
    if (buffer.byteLength < HEAD || buffer.byteLength % 8 !== 0) throw torn();
    const words = new Uint32Array(buffer), [magic, version, dimensions, size, periodic, count, eighths] = words;
    if (magic !== MAGIC || 8 * eighths !== buffer.byteLength || sum(words) !== words[SUM]) throw torn();
    if (version !== VERSION) throw new RangeError(`bytes: they are of version ${version}, and this one reads ${VERSION}`);
    if (dimensions !== D || size !== Floats.BYTES_PER_ELEMENT) throw new RangeError(`bytes: they are of ${dimensions} dimensions and f${8 * size}, and this module has ${D} and f${8 * Floats.BYTES_PER_ELEMENT}`);
    if (periodic && !exports.periodic) throw new TypeError('bytes: worlds that wrap around are in quadrille/periodic');
    let at = HEAD;
    /** The next so many numbers of a type. */
    const take = (Type, length) => {
        if (length * Type.BYTES_PER_ELEMENT > buffer.byteLength - at) throw torn();
        const list = new Type(buffer, at, length);
        at += padded(list.byteLength);
        return list;
    };
    const extent = take(Floats, 2 * D), layers = [];
    for (let layer = 0; layer < count; layer++) {
        const [boxes, length] = take(Uint32Array, 2);
        layers.push({ boxes, ids: take(Uint32Array, length), numbers: take(Floats, length * (boxes ? 2 * D : D)) });
    }
    if (at !== buffer.byteLength) throw torn();
    return { extent, periodic: Array.from({ length: D }, (_, axis) => (periodic >> axis & 1) !== 0), layers };
}

export function checkLoad(options = {}) {
    checkOptions(options, ['lists']);
    return options;
}
