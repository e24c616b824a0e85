import type { Coords, Geometry, Init, InitSync, Layers, List, Plane, QuadrilleIn, Watch as WatchIn, WorldIn } from './types.js';
export type { Answers, CastHits, Clusters, Contacts, Coords, Geometry, Hits, Id, Layers, List, Lists, Neighborhoods, Numbers, Source } from './types.js';
export { Ids } from './types.js';

export interface World extends WorldIn<Plane> {
    polygon(corners: Coords | Geometry, layers?: Layers): List;
    /** All within so many meters of a place over the globe, in degrees. In periodic worlds the same. */
    withinCap(longitude: number, latitude: number, meters: number, layers?: Layers): List;
}
export type Region = Plane['region'];
export type Watch = WatchIn<Plane>;
export type Quadrille = QuadrilleIn<Plane, World>;
export declare const init: Init<Quadrille>;
export declare const initSync: InitSync<Quadrille>;
