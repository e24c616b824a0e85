/** A box. */
export interface BBox { minX: number; minY: number; maxX: number; maxY: number }

/** The class of `rbush` over quadrille. Trees of rbush's `toJSON` cannot be read: here it gives the items. */
export default class RBush<T> {
    /** `extent` is where items are expected; others are found all the same. */
    constructor(maxEntries?: number, extent?: [number, number, number, number]);
    insert(item: T): this;
    load(items: readonly T[]): this;
    remove(item: T, equals?: (a: T, b: T) => boolean): this;
    clear(): this;
    search(box: BBox): T[];
    collides(box: BBox): boolean;
    all(): T[];
    toBBox(item: T): BBox;
    toJSON(): T[];
    readonly data: T[];
    fromJSON(items: readonly T[]): this;
    /** The item has changed its box in place. */
    move(item: T): this;
    /** Any number of items have changed their boxes in place. */
    moveAll(): this;
    /** Frees the memory. */
    free(): void;
}
