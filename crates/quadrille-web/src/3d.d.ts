import type { Init, InitSync, QuadrilleIn, Space, Watch as WatchIn, WorldIn } from './types.js';
export type { Answers, CastHits, Clusters, Contacts, Coords, Hits, Id, Layers, List, Lists, Neighborhoods, Numbers, Source } from './types.js';
export { Ids } from './types.js';

export type World = WorldIn<Space>;
export type Region = Space['region'];
export type Watch = WatchIn<Space>;
export type Quadrille = QuadrilleIn<Space, World>;
export declare const init: Init<Quadrille>;
export declare const initSync: InitSync<Quadrille>;
