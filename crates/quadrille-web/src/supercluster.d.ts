/** A point of GeoJSON. */
export interface PointFeature<P> { type: 'Feature'; id?: number | string; properties: P; geometry: { type: 'Point'; coordinates: number[] } }

/** The properties of a cluster, beside those that `reduce` makes. */
export interface ClusterProperties { cluster: true; cluster_id: number; point_count: number; point_count_abbreviated: string | number }
export interface ClusterFeature<C> { type: 'Feature'; id: number; properties: ClusterProperties & C; geometry: { type: 'Point'; coordinates: number[] } }
export interface TileFeature<P, C> { type: 1; geometry: [[x: number, y: number]]; tags: P | (ClusterProperties & C); id?: number | string }
export interface Tile<P, C> { features: TileFeature<P, C>[] }

export interface Options<P, C> {
    minZoom?: number;
    maxZoom?: number;
    /** Of clusters with fewer points, each comes alone. */
    minPoints?: number;
    /** A cluster takes what is within so many of the `extent` units of a tile: 40 of 512 by default. */
    radius?: number;
    extent?: number;
    generateId?: boolean;
    map?: (properties: P) => C;
    reduce?: ((accumulated: C, properties: Readonly<C>) => void) | null;
    /** Without effect. */
    nodeSize?: number;
    /** Without effect. */
    log?: boolean;
}

/**
 * Of the last call that asks for clusters, leaves or children. A cluster keeps its number as long as it stays, so a page keeps its circle.
 * Lone points are clusters of one: each has a number here.
 */
export interface Changes {
    /** The numbers of the features that were returned, in their order. */
    ids: number[];
    /** Those that are new, with the one that was nearest before, within the radius. */
    come: { id: number; from: number | undefined }[];
    /** Those that are gone, with the one that is nearest now. */
    gone: { id: number; into: number | undefined }[];
}

/**
 * The class of `supercluster` over quadrille. Points may move, and nothing is built anew: each zoom remembers its clusters, which stay
 * where they are while points move. So they are others than supercluster's, may depend on what was asked before, and do not nest: the
 * clusters of the next zoom with points of one may have more. Circles that are near across the antimeridian are one, under one of their
 * numbers; `changes` tells where both have come from and gone into.
 */
export default class Supercluster<P = any, C = any> {
    constructor(options?: Options<P, C>);
    readonly options: Required<Options<P, C>>;
    readonly size: number;
    /** Each point once. One without a geometry is left out. */
    load(points: readonly PointFeature<P>[]): this;
    /** The same point may be there once. */
    add(point: PointFeature<P>): this;
    /** Whether it was there. */
    remove(point: PointFeature<P>): boolean;
    /** The point has changed its coordinates in place. */
    move(point: PointFeature<P>): this;
    /** Any number of points have. */
    moveAll(): this;
    getClusters(bbox: readonly [west: number, south: number, east: number, north: number] | readonly number[], zoom: number): (PointFeature<P> | ClusterFeature<C>)[];
    getTile(z: number, x: number, y: number): Tile<P, C> | null;
    readonly changes: Changes;
    /** The clusters of the next zoom that have points of this one, and lone points. */
    getChildren(clusterId: number): (PointFeature<P> | ClusterFeature<C>)[];
    getLeaves(clusterId: number, limit?: number, offset?: number): PointFeature<P>[];
    /** The first zoom at which its points are in several. */
    getClusterExpansionZoom(clusterId: number): number;
    free(): void;
}
