// Contenders take turns in each round, the first one another time; answers must be the same. The first rounds are for the compilers of
// JavaScript; the median of the others counts.
import { Scene as Plane } from './scene.mjs';

export const SPREADS = [['points', 'even'], ['boxes', 'even'], ['boxes', 'crowds']];
/** Of windows after changes, outside of the time. */
const CHECKS = 100;
/** Rounds that do not count. */
const WARM = 5;

/**
 * Passes a row on for each contender in each workload. `quick` is for tests: one round with few questions.
 *
 * The clock gives milliseconds; `settle` is called before each time.
 */
export async function race({ Scene = Plane, contenders, workloads, sizes, spreads = SPREADS, rounds, clock, settle = () => {}, tell, quick = false }) {
    for (const n of sizes) {
        for (const [kind, spread] of spreads) {
            const scene = new Scene({ kind, spread, n });
            const field = contenders.filter(({ kinds = [kind] }) => kinds.includes(kind)).map((Contender) => new Contender(scene));
            for (const workload of workloads) {
                const times = run(scene, field, workload, { rounds, clock, settle, part: (count) => (quick ? Math.min(count, 20) : count) });
                for (const [title, list] of times) await tell({ kind, spread, n, workload: workload.name, contender: title, ms: median(list) });
                // A page must answer its browser now and then.
                await new Promise((resolve) => { setTimeout(resolve); });
            }
            for (const contender of field) contender.free?.();
        }
    }
}

const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

/** The times of those who have the operation, by title. */
function run(scene, field, { name, changes, prepare, before, run, after }, { rounds, clock, settle, part }) {
    const times = new Map();
    for (let round = -WARM; round < rounds; round++) {
        const asked = prepare(scene, part), checks = scene.windows(part(CHECKS), 20), answers = [];
        for (let turn = 0; turn < field.length; turn++) {
            const contender = field[(turn + round + WARM) % field.length], { title } = contender.constructor;
            before?.(contender, asked);
            settle();
            const begin = clock(), answer = run(contender, asked), time = clock() - begin;
            after?.(contender, asked);
            if (answer === undefined) {
                if (changes) catchUp(contender);
                continue;
            }
            if (round >= 0) times.set(title, [...times.get(title) ?? [], time]);
            answers.push([title, changes ? `${answer} ${contender.windows(checks)}` : `${answer}`]);
        }
        const [[, expected]] = answers, wrong = answers.filter(([, answer]) => answer !== expected);
        if (wrong.length) throw new Error(`${name}, ${scene.n} ${scene.kind}: ${answers.join('; ')}`);
    }
    return [...times].sort(([a], [b]) => titles(field).indexOf(a) - titles(field).indexOf(b));
}

const titles = (field) => field.map((contender) => contender.constructor.title);

function catchUp(contender) {
    contender.follow?.();
    contender.build();
}
