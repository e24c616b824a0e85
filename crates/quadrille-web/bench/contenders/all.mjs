// All contenders, the package first. It is imported by its own name, as others would.
import { init } from 'quadrille';
import { init as initF32 } from 'quadrille/f32';
import OurRBush from 'quadrille/rbush';
import RBush from 'rbush';
import { D3Contender } from './d3-quadtree.mjs';
import { FlatbushContender } from './flatbush.mjs';
import { GridContender } from './grid.mjs';
import { KDBushContender } from './kdbush.mjs';
import { contender as quadrille } from './quadrille.mjs';
import { contender as rbush } from './rbush.mjs';

export const CONTENDERS = [
    quadrille(await init(), 'quadrille'),
    quadrille(await initF32(), 'quadrille/f32'),
    quadrille(await init(), 'borrowed lists', { lists: 'borrowed' }),
    rbush(OurRBush, 'quadrille/rbush'),
    rbush(RBush, 'rbush'),
    FlatbushContender,
    KDBushContender,
    D3Contender,
    GridContender,
];
