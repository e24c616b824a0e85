/// <reference lib="esnext.disposable" />
// The types of a world, in the plane and in space alike; `index.d.ts` and `3d.d.ts` name them for one of both.
/** Dense numbers that the caller gives: 0 to 2^26 - 1. One far from all others takes 8 kB to 0.8 MB. For larger numbers, names or objects see `Ids`. */
export type Id = number;
/** One bit for each of up to 32 layers: `1 << walls | 1 << units`. */
export type Layers = number;
export type Coords = Float64Array | Float32Array | readonly number[];
/** A copy of your own, whose `buffer` holds nothing else, unless the world has borrowed `Lists`. */
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
/** Around the object `of[i]` are `ids.subarray(ends[i - 1] ?? 0, ends[i])`. In no order. */
export interface Neighborhoods extends Answers { of: List }
/** In order of time, at most `k`, which is 1 by default. `normals` point outward from the side that is met: 1 or -1 on one axis, or to the center of a ball; so many numbers for each hit as there are axes. */
export interface Hits { ids: List; times: Numbers; normals: Numbers }
/** `touching` is 1 for what the box or ball touches or overlaps at its start, its skin aside. */
export interface CastHits extends Hits { touching: List }

type Ring = readonly (readonly number[])[];
/** As GeoJSON has it. */
export type Geometry = { type: 'Polygon'; coordinates: readonly Ring[] } | { type: 'MultiPolygon'; coordinates: readonly (readonly Ring[])[] } | { type: 'Feature'; geometry: Geometry };
/** A group for each cell with objects: the numbers of the cell and the mean of the centers (one an axis), both corners of the bounds, and the id of one. */
export interface Clusters { cells: Int32Array; counts: List; means: Numbers; boxes: Numbers; ids: List }

/** The numbers of points and boxes in the plane. A ball is its center and radius. */
export interface Plane {
    at: [atX: number, atY: number];
    box: [minX: number, minY: number, maxX: number, maxY: number];
    ball: [atX: number, atY: number, radius: number];
    shape: [minX: number, minY: number, maxX?: number, maxY?: number];
    ray: [fromX: number, fromY: number, alongX: number, alongY: number];
    by: [byX: number, byY: number];
    /** A cap is all within so many meters of a place over the globe, in degrees. */
    region: Space['region'] | { polygon: Coords; holes?: Coords[] } | { cap: Coords } | Geometry;
}
/** The same in space. */
export interface Space {
    at: [atX: number, atY: number, atZ: number];
    box: [minX: number, minY: number, minZ: number, maxX: number, maxY: number, maxZ: number];
    ball: [atX: number, atY: number, atZ: number, radius: number];
    shape: [minX: number, minY: number, minZ: number, maxX?: number, maxY?: number, maxZ?: number];
    ray: [fromX: number, fromY: number, fromZ: number, alongX: number, alongY: number, alongZ: number];
    by: [byX: number, byY: number, byZ: number];
    region: { box: Coords } | { ball: Coords };
}

/** The bytes of a module, a compiled `WebAssembly.Module`, a `URL`, or what `fetch` gives. (A program may lack the types of the DOM.) */
export type Source = ArrayBuffer | ArrayBufferView | string | object;
/**
 * Compiles and starts the module. Without `source` it loads the file beside it, and all calls share one module, until that is closed: a
 * call that runs out of memory closes it and all its worlds, and `init()` then makes a new one. With `source` each call makes one.
 */
export type Init<Quadrille> = (source?: Source | Promise<Source>) => Promise<Quadrille>;
/** The same at once. Without `source` only in CommonJS or after `init()`; browsers may refuse it on the thread of a page. */
export type InitSync<Quadrille> = (source?: ArrayBuffer | ArrayBufferView | object) => Quadrille;

/** A module with a memory of its own, of 4 GB at most. */
export interface QuadrilleIn<In extends Plane | Space, World> {
    /** The extent is where objects are expected; others are found all the same. `periodic`: see `quadrille/periodic`. */
    world(...of: [...box: In['box'], options?: { periodic?: boolean | boolean[]; lists?: Lists }]): World;
    /** The world that `save` has made bytes of, in a module of the same numbers. Bytes that are torn are refused. */
    load(bytes: ArrayBuffer | ArrayBufferView, options?: { lists?: Lists }): World;
}

/** Of wrong arguments all methods throw a `RangeError` or `TypeError` that names them; nothing has changed then. */
export interface WorldIn<In extends Plane | Space> {
    addPointLayer(): number;
    addBoxLayer(): number;
    readonly size: number;
    sizeOf(layers: Layers): number;
    clear(layers?: Layers): void;
    insert(layer: number, id: Id, ...shape: In['shape']): void;
    /**
     * The numbers of points in the order of space. Of objects with ids in this order, neighbours have
     * neighbouring ids, so answers read your arrays nearly in order. Sort them by it before you insert many objects.
     */
    orderOf(points: Coords): List;
    /** `ids`: one for each, or the first of consecutive ones. All or none, also where there is no memory for them. */
    insertPoints(layer: number, ids: Uint32Array | readonly number[] | Id, coords: Coords): void;
    insertBoxes(layer: number, ids: Uint32Array | readonly number[] | Id, coords: Coords): void;
    /** Whether it was there. */
    move(id: Id, ...shape: In['shape']): boolean;
    /** How many were refused, because they are not there or of the other kind. */
    movePoints(ids: Uint32Array | readonly number[] | Id, coords: Coords): number;
    moveBoxes(ids: Uint32Array | readonly number[] | Id, coords: Coords): number;
    remove(id: Id): boolean;
    removeMany(ids: Uint32Array | readonly number[]): number;
    has(id: Id): boolean;
    /** Both corners; `undefined` if there is no such object. */
    shape(id: Id): Numbers | undefined;

    window(...of: [...box: In['box'], layers?: Layers]): List;
    windowMany(windows: Coords, layers?: Layers): Answers;
    any(...of: [...box: In['box'], layers?: Layers]): boolean;
    count(...of: [...box: In['box'], layers?: Layers]): number;
    /** At most `limit`, in no order: stops there. */
    some(limit: number, ...of: [...box: In['box'], layers?: Layers]): List;
    within(...of: [...at: In['at'], distance: number, layers?: Layers]): List;
    /** At most `k`, which is 1 by default, nearest first. */
    nearest(...of: [...at: In['at'], options?: { k?: number; within?: number; layers?: Layers; except?: Id }]): { ids: List; distances: Numbers };
    nearestMany(points: Coords, options?: { k?: number; within?: number; layers?: Layers }): Answers;
    /** `times` are in lengths of the direction, `until` too. Infinite parts of a direction count as the largest number; from an infinite place nothing is found. */
    raycast(...of: [...ray: In['ray'], options?: { k?: number; until?: number; layers?: Layers; except?: Id }]): Hits;
    /**
     * `times` are parts of the motion, 0 to 1. With a `skin` only what blocks counts: what the box would enter by going on, not what it
     * touches, moves along or away from. Each time is then when the box with so much around it touches.
     */
    cast(...of: [...box: In['box'], ...by: In['by'], options?: { k?: number; layers?: Layers; except?: Id; skin?: number }]): CastHits;
    /** The same for a ball, which rolls around corners. */
    castBall(...of: [...ball: In['ball'], ...by: In['by'], options?: { k?: number; layers?: Layers; except?: Id; skin?: number }]): CastHits;
    /**
     * The objects of a window by square cells of that size, counted from the world's minimum corner; a border belongs to the cell above.
     * Costs least if the longest side of the world is 1, 2, 4, 8 … sizes long. Boxes are in the cell of their center.
     */
    clusters(...of: [...box: In['box'], size: number, layers?: Layers]): Clusters;
    /** Takes counters where it can. */
    clusterCounts(...of: [...box: In['box'], size: number, layers?: Layers]): { cells: Int32Array; counts: List };
    /** Pairs one after the other: `ids[2 * i]`, `ids[2 * i + 1]`. */
    pairs(options?: { layers?: Layers; between?: Layers; within?: number }): List;

    /**
     * Each object of `layers`, also one that is alone, with all others there, or in `between`, that touch it or are at most
     * `within` away: faster than a question for each.
     */
    neighbors(options?: { layers?: Layers; between?: Layers; within?: number }): Neighborhoods;

    watch(region: In['region'], layers?: Layers): Watch<In>;
    contacts(options?: { layers?: Layers; between?: Layers; within?: number }): Contacts;
    bounds(layers?: Layers): Numbers | undefined;
    /** Makes the bounds of all objects the world; `false` if they have no extent, or if the world wraps around. */
    fitWorld(): boolean;
    optimize(): void;
    /** Puts memory in order a little; whether a pass is done. */
    optimizeStep(budget: number): boolean;
    /** The blocks of a layer's tree: both corners of each, and how deep it lies. */
    cells(layer: number): { boxes: Numbers; depths: List };
    /** Layers and objects with their ids as bytes, without watches and contacts. Among equally near objects another may come first after `load`. */
    save(): Uint8Array;
    free(): void;
    [Symbol.dispose](): void;
}

export interface Watch<In extends Plane | Space> { move(region: In['region']): void; poll(): { entered: List; left: List }; inside(): List; free(): void; [Symbol.dispose](): void }
/** `poll(moved)`: told which objects have moved or are new, it looks at nothing else. Removed ones need not be named. `of`: those that an object touched at the last poll. */
export interface Contacts { poll(moved?: Uint32Array | readonly number[]): { begun: List; ended: List }; inside(): List; of(id: Id): List; free(): void; [Symbol.dispose](): void }

/** Dense ids for keys of any kind. */
export class Ids<K> {
    readonly size: number;
    add(key: K): Id;
    /** Those of many: `world.insertPoints(units, ids.addMany(names), places)`. */
    addMany(keys: Iterable<K>): Uint32Array;
    /** The keys of an answer: `ids.keysOf(world.window(…))`. */
    keysOf(ids: Iterable<Id>): K[];
    get(key: K): Id | undefined;
    key(id: Id): K | undefined;
    delete(key: K): Id | undefined;
    clear(): void;
    keys(): IterableIterator<K>;
}
