/// <reference lib="esnext.disposable" />

/** Dense numbers that the caller gives: 0 to 2^26 - 1. For sparse numbers, names or objects see `Ids`. */
export type Id = number;
/** One bit for each of up to 32 layers: `1 << walls | 1 << units`. */
export type Layers = number;
export type Coords = Float64Array | Float32Array | readonly number[];
/** A list in the module's memory, good until the next call of any world: `slice` keeps a copy. `init(…, { debug: true })` throws where a stale one is read. */
export type Borrowed = Uint32Array;
/** Coordinates or distances, borrowed like ids. */
export type Numbers = Float64Array | Float32Array;
/** The ids of answer i are `ids.subarray(ends[i - 1] ?? 0, ends[i])`. */
export interface Answers { ids: Borrowed; ends: Borrowed }
/** In order of time, at most `k`, which is 1 by default. `normals` point outward from the side that is met: 1 or -1 on one axis; so many numbers for each hit as there are axes. */
export interface Hits { ids: Borrowed; times: Numbers; normals: Numbers }
/** `touching` is 1 for what the box touches or overlaps at its start, its skin aside. */
export interface CastHits extends Hits { touching: Borrowed }

/** Compiles and starts the module: once for a page. Without `source` it loads the file beside it. */
export function init(source?: BufferSource | WebAssembly.Module | Response | URL | Promise<Response>, options?: { debug?: boolean }): Promise<Quadrille>;
/** The same at once. Only in CommonJS may `source` be left out; browsers may refuse it on the thread of a page. */
export function initSync(source?: BufferSource | WebAssembly.Module, options?: { debug?: boolean }): Quadrille;

export interface Quadrille {
    /** The extent is where objects are expected; others are found all the same. `periodic`: see `quadrille/periodic`. */
    world(minX: number, minY: number, maxX: number, maxY: number, options?: { periodic?: boolean | boolean[] }): World;
}

/** Of wrong arguments all methods throw a `RangeError` or `TypeError` that names them; nothing has changed then. */
export interface World {
    addPointLayer(): number;
    addBoxLayer(): number;
    readonly size: number;
    sizeOf(layers: Layers): number;
    clear(layers?: Layers): void;
    insert(layer: number, id: Id, minX: number, minY: number, maxX?: number, maxY?: number): void;
    /** `ids`: one for each, or the first of consecutive ones. All or none. */
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

    window(minX: number, minY: number, maxX: number, maxY: number, layers?: Layers): Borrowed;
    windowMany(windows: Coords, layers?: Layers): Answers;
    any(minX: number, minY: number, maxX: number, maxY: number, layers?: Layers): boolean;
    count(minX: number, minY: number, maxX: number, maxY: number, layers?: Layers): number;
    /** At most `limit`, in no order: stops there. */
    some(limit: number, minX: number, minY: number, maxX: number, maxY: number, layers?: Layers): Borrowed;
    polygon(corners: Coords, layers?: Layers): Borrowed; // 2D
    within(atX: number, atY: number, distance: number, layers?: Layers): Borrowed;
    /** At most `k`, which is 1 by default, nearest first. */
    nearest(atX: number, atY: number, options?: { k?: number; within?: number; layers?: Layers; except?: Id }): { ids: Borrowed; distances: Numbers };
    nearestMany(points: Coords, options?: { k?: number; within?: number; layers?: Layers }): Answers;
    /** `times` are in lengths of the direction, `until` too. */
    raycast(fromX: number, fromY: number, alongX: number, alongY: number, options?: { k?: number; until?: number; layers?: Layers; except?: Id }): Hits;
    /**
     * `times` are parts of the motion, 0 to 1. With a `skin` only what blocks counts: what the box would enter by going on, not what it
     * touches, moves along or away from. Each time is then when the box with so much around it touches.
     */
    cast(minX: number, minY: number, maxX: number, maxY: number, byX: number, byY: number, options?: { k?: number; layers?: Layers; except?: Id; skin?: number }): CastHits;
    /** Pairs one after the other: `ids[2 * i]`, `ids[2 * i + 1]`. */
    pairs(options?: { layers?: Layers; between?: Layers; within?: number }): Borrowed;

    watch(region: Region, layers?: Layers): Watch;
    contacts(options?: { layers?: Layers; between?: Layers; within?: number }): Contacts;
    bounds(layers?: Layers): Numbers | undefined;
    /** Makes the bounds of all objects the world; `false` if they have no extent, or if the world wraps around. */
    fitWorld(): boolean;
    optimize(): void;
    /** Puts memory in order a little; whether a pass is done. */
    optimizeStep(budget: number): boolean;
    /** The blocks of a layer's tree: both corners of each, and how deep it lies. */
    cells(layer: number): { boxes: Numbers; depths: Borrowed };
    free(): void;
    [Symbol.dispose](): void;
}

/** A ball is its center and radius. */
export type Region =
    | { polygon: Coords; holes?: Coords[] } // 2D
    | { box: Coords } | { ball: Coords };
export interface Watch { move(region: Region): void; poll(): { entered: Borrowed; left: Borrowed }; inside(): Borrowed; free(): void; [Symbol.dispose](): void }
/** `poll(moved)`: told which objects have moved or are new, it looks at nothing else. Removed ones need not be named. */
export interface Contacts { poll(moved?: Uint32Array | readonly number[]): { begun: Borrowed; ended: Borrowed }; inside(): Borrowed; free(): void; [Symbol.dispose](): void }

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
