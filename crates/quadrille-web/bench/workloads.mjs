// The workloads that are timed. `prepare` makes the questions and moves the objects, outside of the time. `run` returns a sum of the answers, or
// nothing where the contender has no such operation.

/** Of each contender in a round; each round has others. Of larger answers there are fewer. */
const QUESTIONS = 10_000, FEWER = 2000, IN_FRAME = 1000;
/** Of pairs. */
const DISTANCE = 3;

const windows = (size, count) => ({
    name: `windows of ${size}`,
    prepare: (scene, part) => scene.windows(part(count), size),
    run: (contender, asked) => contender.windows(asked),
});
const any = (size) => ({
    name: `any in windows of ${size}`,
    prepare: (scene, part) => scene.windows(part(QUESTIONS), size),
    run: (contender, asked) => contender.any?.(asked),
});
const nearest = (name, k) => ({
    name,
    prepare: (scene, part) => scene.places(part(QUESTIONS)),
    run: (contender, asked) => contender.nearest?.(asked, k),
});

const everyId = ({ n }) => Uint32Array.from({ length: n }, (_, id) => id);
function fly(scene, ids) {
    scene.fly(ids);
    return ids;
}

const allMove = (count, size) => ({
    name: `all move, ${count} windows of ${size}`,
    changes: true,
    prepare: (scene, part) => (fly(scene, everyId(scene)), scene.windows(part(count), size)),
    /** Objects of the application move, whatever holds an index of them. */
    before: (contender) => contender.follow?.(),
    run: (contender, asked) => (contender.moveAll(count), contender.windows(asked)),
});

export const WORKLOADS = [
    windows(20, QUESTIONS),
    windows(100, FEWER),
    any(3),
    any(100),
    nearest('nearest', 1),
    nearest('nearest 10', 10),
    { name: 'all pairs', prepare() {}, run: (contender) => contender.pairs?.(DISTANCE) },
    { name: 'load', changes: true, prepare() {}, run: (contender) => (contender.build(), 0) },
    allMove(100, 50),
    allMove(IN_FRAME, 20),
    {
        name: '1 % move, 1000 windows of 20',
        changes: true,
        prepare: (scene, part) => ({ moved: fly(scene, scene.some(scene.n / 100)), asked: scene.windows(part(IN_FRAME), 20) }),
        run: (contender, { moved, asked }) => (contender.moveSome(moved), contender.windows(asked)),
    },
    {
        name: 'remove and insert 1000',
        changes: true,
        prepare: (scene, part) => fly(scene, scene.some(part(1000))),
        run: (contender, ids) => (contender.replace ? (contender.replace(ids), 0) : undefined),
    },
];
