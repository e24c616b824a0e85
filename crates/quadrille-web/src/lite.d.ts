import type { Quadrille as Whole, World as WholeWorld } from './index.js';
export type { Borrowed, Coords, Id, Layers, Numbers } from './index.js';
export { Ids } from './index.js';

export type World = Pick<WholeWorld, 'addPointLayer' | 'addBoxLayer' | 'size' | 'sizeOf' | 'clear' | 'insert' | 'insertPoints' | 'insertBoxes' | 'move'
    | 'movePoints' | 'moveBoxes' | 'remove' | 'removeMany' | 'has' | 'shape' | 'window' | 'windowMany' | 'any' | 'count' | 'some' | 'optimizeStep' | 'free' | typeof Symbol.dispose>;
export interface Quadrille { world(minX: number, minY: number, maxX: number, maxY: number): World }
export function init(...options: Parameters<typeof import('./index.js').init>): Promise<Quadrille>;
export function initSync(...options: Parameters<typeof import('./index.js').initSync>): Quadrille;
