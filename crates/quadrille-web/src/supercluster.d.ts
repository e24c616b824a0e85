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
    /** Of cells with fewer points, each comes alone. */
    minPoints?: number;
    /** The side of cells is 1.5 times this, rounded to a power of two of a tile: 64 of 512 by default. */
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
 * The class of `supercluster` over quadrille. **Clusters are by cell**: the points in one square of a grid, where supercluster takes those
 * within a radius of a point, greedily. So they are others; but points may move, and nothing is built anew. Numbers of clusters hold until
 * the points change.
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
    getChildren(clusterId: number): (PointFeature<P> | ClusterFeature<C>)[];
    getLeaves(clusterId: number, limit?: number, offset?: number): PointFeature<P>[];
    getClusterExpansionZoom(clusterId: number): number;
    free(): void;
}
