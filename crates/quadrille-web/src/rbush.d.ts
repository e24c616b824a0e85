/** A box. */
export interface BBox { minX: number; minY: number; maxX: number; maxY: number }

/** A node of a saved tree: this class saves one, with all items, and rbush many. */
export interface Node<T> extends BBox { children: (T | Node<T>)[]; height: number; leaf: boolean }

/** The class of `rbush` over quadrille. */
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
    toJSON(): Node<T>;
    /** As from `toJSON`; `any`, so that a class that extends this one may declare a type of its own. */
    readonly data: any;
    /** Also what rbush has saved. */
    fromJSON(tree: Node<T>): this;
    /** The item has changed its box in place. As `remove(item).insert(item)`, so one that is not there is inserted. */
    move(item: T): this;
    /** Any number of items have changed their boxes in place. */
    moveAll(): this;
    /** Frees the memory. */
    free(): void;
}
