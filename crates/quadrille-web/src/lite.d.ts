import type { World as WholeWorld } from './index.js';
import type { Init, InitSync, Lists, Plane } from './types.js';
export type { Coords, Id, Layers, List, Lists, Numbers, Source } from './index.js';
export { Ids } from './index.js';

export type World = Pick<WholeWorld, 'addPointLayer' | 'addBoxLayer' | 'size' | 'sizeOf' | 'clear' | 'insert' | 'insertPoints' | 'insertBoxes' | 'move'
    | 'movePoints' | 'moveBoxes' | 'remove' | 'removeMany' | 'has' | 'shape' | 'window' | 'windowMany' | 'any' | 'count' | 'some' | 'optimizeStep' | 'save' | 'free' | typeof Symbol.dispose>;
export interface Quadrille {
    world(...of: [...box: Plane['box'], options?: { lists?: Lists }]): World;
    load(bytes: ArrayBuffer | ArrayBufferView, options?: { lists?: Lists }): World;
}
export declare const init: Init<Quadrille>;
export declare const initSync: InitSync<Quadrille>;
