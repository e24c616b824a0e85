/// <reference lib="esnext.disposable" />

/** Dense numbers that the caller gives: 0 to 2^26 - 1. One far from all others takes 8 kB to 0.8 MB. For larger numbers, names or objects see `Ids`. */
export type Id = number;
/** One bit for each of up to 32 layers: `1 << walls | 1 << units`. */
export type Layers = number;
export type Coords = Float64Array | Float32Array | readonly number[];
/** A copy of your own, unless the world has borrowed `Lists`. Use the list, not its `buffer`: short ones share one. */
export type List = Uint32Array;
/** Coordinates or distances, copies like ids. */
export type Numbers = Float64Array | Float32Array;
/**
 * Whose memory the lists of answers are in. `own`, the default: copies. `borrowed`: that of the module, good until the next call of any
 * world, after which they hold other numbers; `slice` keeps a copy. `checked`: the same, but they throw if they are read later.
 */
export type Lists = 'own' | 'borrowed' | 'checked';
/** The ids of answer i are `ids.subarray(ends[i - 1] ?? 0, ends[i])`. */
export interface Answers { ids: List; ends: List }
/** In order of time, at most `k`, which is 1 by default. `normals` point outward from the side that is met: 1 or -1 on one axis; so many numbers for each hit as there are axes. */
export interface Hits { ids: List; times: Numbers; normals: Numbers }
/** `touching` is 1 for what the box touches or overlaps at its start, its skin aside. */
export interface CastHits extends Hits { touching: List }

/** The bytes of a module, a compiled `WebAssembly.Module`, a `URL`, or what `fetch` gives. (A program may lack the types of the DOM.) */
export type Source = ArrayBuffer | ArrayBufferView | string | object;
/**
 * Compiles and starts the module. Without `source` it loads the file beside it, and all calls share one module, until that is closed: a
 * call that runs out of memory closes it and all its worlds, and `init()` then makes a new one. With `source` each call makes one.
 */
export function init(source?: Source | Promise<Source>): Promise<Quadrille>;
/** The same at once. Without `source` only in CommonJS or after `init()`; browsers may refuse it on the thread of a page. */
export function initSync(source?: ArrayBuffer | ArrayBufferView | object): Quadrille;

/** A module with a memory of its own, of 4 GB at most. */
export interface Quadrille {
    /** The extent is where objects are expected; others are found all the same. `periodic`: see `quadrille/periodic`. */
    world(minX: number, minY: number, maxX: number, maxY: number, options?: { periodic?: boolean | boolean[]; lists?: Lists }): World;
}

/** Of wrong arguments all methods throw a `RangeError` or `TypeError` that names them; nothing has changed then. */
export interface World {
    addPointLayer(): number;
    addBoxLayer(): number;
    readonly size: number;
    sizeOf(layers: Layers): number;
    clear(layers?: Layers): void;
    insert(layer: number, id: Id, minX: number, minY: number, maxX?: number, maxY?: number): void;
    /** `ids`: one for each, or the first of consecutive ones. All or none, also where there is no memory for them. */
    insertPoints(layer: number, ids: Uint32Array | readonly number[] | Id, coords: Coords): void;
    insertBoxes(layer: number, ids: Uint32Array | readonly number[] | Id, coords: Coords): void;
    /** Whether it was there. */
    move(id: Id, minX: number, minY: number, maxX?: number, maxY?: number): boolean;
    /** How many were refused, because they are not there or of the other kind. */
    movePoints(ids: Uint32Array | readonly number[] | Id, coords: Coords): number;
    moveBoxes(ids: Uint32Array | readonly number[] | Id, coords: Coords): number;
    remove(id: Id): boolean;
    removeMany(ids: Uint32Array | readonly number[]): number;
    has(id: Id): boolean;
    /** Both corners; `undefined` if there is no such object. */
    shape(id: Id): Numbers | undefined;

    window(minX: number, minY: number, maxX: number, maxY: number, layers?: Layers): List;
    windowMany(windows: Coords, layers?: Layers): Answers;
    any(minX: number, minY: number, maxX: number, maxY: number, layers?: Layers): boolean;
    count(minX: number, minY: number, maxX: number, maxY: number, layers?: Layers): number;
    /** At most `limit`, in no order: stops there. */
    some(limit: number, minX: number, minY: number, maxX: number, maxY: number, layers?: Layers): List;
    polygon(corners: Coords, layers?: Layers): List; // 2D
    within(atX: number, atY: number, distance: number, layers?: Layers): List;
    /** At most `k`, which is 1 by default, nearest first. */
    nearest(atX: number, atY: number, options?: { k?: number; within?: number; layers?: Layers; except?: Id }): { ids: List; distances: Numbers };
    nearestMany(points: Coords, options?: { k?: number; within?: number; layers?: Layers }): Answers;
    /** `times` are in lengths of the direction, `until` too. What is infinite in a direction counts as the largest number; from an infinite place nothing is found. */
    raycast(fromX: number, fromY: number, alongX: number, alongY: number, options?: { k?: number; until?: number; layers?: Layers; except?: Id }): Hits;
    /**
     * `times` are parts of the motion, 0 to 1. With a `skin` only what blocks counts: what the box would enter by going on, not what it
     * touches, moves along or away from. Each time is then when the box with so much around it touches.
     */
    cast(minX: number, minY: number, maxX: number, maxY: number, byX: number, byY: number, options?: { k?: number; layers?: Layers; except?: Id; skin?: number }): CastHits;
    /** Pairs one after the other: `ids[2 * i]`, `ids[2 * i + 1]`. */
    pairs(options?: { layers?: Layers; between?: Layers; within?: number }): List;

    watch(region: Region, layers?: Layers): Watch;
    contacts(options?: { layers?: Layers; between?: Layers; within?: number }): Contacts;
    bounds(layers?: Layers): Numbers | undefined;
    /** Makes the bounds of all objects the world; `false` if they have no extent, or if the world wraps around. */
    fitWorld(): boolean;
    optimize(): void;
    /** Puts memory in order a little; whether a pass is done. */
    optimizeStep(budget: number): boolean;
    /** The blocks of a layer's tree: both corners of each, and how deep it lies. */
    cells(layer: number): { boxes: Numbers; depths: List };
    free(): void;
    [Symbol.dispose](): void;
}

/** A ball is its center and radius. */
export type Region =
    | { polygon: Coords; holes?: Coords[] } // 2D
    | { box: Coords } | { ball: Coords };
export interface Watch { move(region: Region): void; poll(): { entered: List; left: List }; inside(): List; free(): void; [Symbol.dispose](): void }
/** `poll(moved)`: told which objects have moved or are new, it looks at nothing else. Removed ones need not be named. */
export interface Contacts { poll(moved?: Uint32Array | readonly number[]): { begun: List; ended: List }; inside(): List; free(): void; [Symbol.dispose](): void }

/** Dense ids for keys of any kind. */
export class Ids<K> {
    readonly size: number;
    add(key: K): Id;
    get(key: K): Id | undefined;
    key(id: Id): K | undefined;
    delete(key: K): Id | undefined;
    clear(): void;
    keys(): IterableIterator<K>;
}
