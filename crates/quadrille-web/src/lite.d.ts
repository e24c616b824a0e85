import type { Lists, World as WholeWorld } from './index.js';
export type { Coords, Id, Layers, List, Lists, Numbers, Source } from './index.js';
export { Ids } from './index.js';

export type World = Pick<WholeWorld, 'addPointLayer' | 'addBoxLayer' | 'size' | 'sizeOf' | 'clear' | 'insert' | 'insertPoints' | 'insertBoxes' | 'move'
    | 'movePoints' | 'moveBoxes' | 'remove' | 'removeMany' | 'has' | 'shape' | 'window' | 'windowMany' | 'any' | 'count' | 'some' | 'optimizeStep' | 'free' | typeof Symbol.dispose>;
export interface Quadrille { world(minX: number, minY: number, maxX: number, maxY: number, options?: { lists?: Lists }): World }
export function init(...options: Parameters<typeof import('./index.js').init>): Promise<Quadrille>;
export function initSync(...options: Parameters<typeof import('./index.js').initSync>): Quadrille;
