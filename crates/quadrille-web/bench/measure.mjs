// Everything that is measured, in Node or in a page.
import OurRBush from 'quadrille/rbush';
import RBush from 'rbush';
import { CONTENDERS } from './contenders/all.mjs';
import { race } from './race.mjs';
import { OPERATIONS, standIn } from './stand-in.mjs';
import { WORKLOADS } from './workloads.mjs';

const STAND_INS = [standIn(OurRBush, 'quadrille/rbush'), standIn(RBush, 'rbush')];

/** Passes rows on. The clock gives milliseconds. */
export async function measure({ clock, tell, sizes = [10_000, 100_000], rounds = 15, quick = false }) {
    // What one leaves to be collected shall not take the time of another.
    const settle = () => globalThis.gc?.({ type: 'minor' });
    const all = { clock, settle, sizes, rounds, quick };
    await race({ ...all, contenders: CONTENDERS, workloads: WORKLOADS, tell: (row) => tell({ table: 'contenders', ...row }) });
    await race({ ...all, contenders: STAND_INS, workloads: OPERATIONS, spreads: [['boxes', 'even'], ['boxes', 'crowds']], tell: (row) => tell({ table: 'rbush', ...row }) });
}
