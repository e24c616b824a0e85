// Everything that is measured, in Node or in a page.
import OurRBush from 'quadrille/rbush';
import RBush from 'rbush';
import { CONTENDERS } from './contenders/all.mjs';
import { GLOBE } from './globe.mjs';
import { race } from './race.mjs';
import { OPERATIONS, standIn } from './stand-in.mjs';
import { WORKLOADS } from './workloads.mjs';

const STAND_INS = [standIn(OurRBush, 'quadrille/rbush'), standIn(RBush, 'rbush')];

const RACES = {
    contenders: { contenders: CONTENDERS, workloads: WORKLOADS },
    globe: GLOBE,
    rbush: { contenders: STAND_INS, workloads: OPERATIONS, spreads: [['boxes', 'even'], ['boxes', 'crowds']] },
};
export const TABLES = Object.keys(RACES);

/** Passes rows on, and waits for what `tell` promises. The clock gives milliseconds. */
export async function measure({ clock, tell, tables = TABLES, sizes = [10_000, 100_000], rounds = 11, quick = false }) {
    // The garbage of one shall not take the time of another.
    const settle = () => globalThis.gc?.({ type: 'minor' });
    for (const table of tables) await race({ ...RACES[table], clock, settle, sizes, rounds, quick, tell: (row) => tell({ table, ...row }) });
}
