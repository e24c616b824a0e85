// Beside rbush, all interleaved, answers compared: medians of rounds, as multiples of quadrille's time.
//
//   node bench.mjs [OBJECTS]
import assert from 'node:assert/strict';
import Theirs from 'rbush';
import { init } from './pkg/index.js';
import Ours from './pkg/rbush.js';

const n = Number(process.argv[2] ?? 10_000), ROUNDS = 15, WINDOWS = 1000;
let seed = 1;
const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
const side = Math.sqrt(n) * 10, items = Array.from({ length: n }, (_, id) => {
    const minX = random() * side, minY = random() * side;
    return { id, minX, minY, maxX: minX + 3, maxY: minY + 3, dx: random() - 0.5, dy: random() - 0.5 };
});
const windows = (size) => Array.from({ length: WINDOWS }, () => {
    const minX = random() * side, minY = random() * side;
    return { minX, minY, maxX: minX + size, maxY: minY + size };
});

const quadrille = await init(), world = quadrille.world(0, 0, side, side), layer = world.addBoxLayer();
const coords = new Float64Array(4 * n);
const fill = () => items.forEach(({ minX, minY, maxX, maxY }, at) => { coords[4 * at] = minX; coords[4 * at + 1] = minY; coords[4 * at + 2] = maxX; coords[4 * at + 3] = maxY; });
fill();
world.insertBoxes(layer, 0, coords);
const ours = new Ours(9, [0, 0, side, side]).load(items), theirs = new Theirs().load(items);
const fly = (some) => { for (const item of some) { item.minX += item.dx; item.maxX += item.dx; item.minY += item.dy; item.maxY += item.dy; } };

/** Each contender does the same, and its answers, summed up, must be the same; of changes, the answers afterwards, out of the time. */
function race(name, prepare, contenders) {
    const times = contenders.map(() => []);
    for (let round = 0; round < ROUNDS; round++) {
        const asked = prepare(), results = contenders.map(([, run, answers], at) => {
            const wall = performance.now(), result = run(asked);
            times[at].push(performance.now() - wall);
            return answers ? answers(afterwards) : result;
        });
        assert.ok(Number.isFinite(results[0]), name);
        assert.ok(results.every((result) => result === results[0]), `${name}: ${results}`);
    }
    const medians = times.map((list) => list.sort((a, b) => a - b)[ROUNDS >> 1]);
    console.log(`| ${name} | ${medians[0].toFixed(3)} ms | ${contenders.slice(1).map(([who], at) => `${who} ${(medians[at + 1] / medians[0]).toFixed(2)}`).join(', ')} |`);
}

const sumIds = (list) => { let sum = 0; for (let at = 0; at < list.length; at++) sum += list[at]; return sum; };
const sumItems = (list) => { let sum = 0; for (let at = 0; at < list.length; at++) sum += list[at].id; return sum; };
/** Such that answers to the wrong window count too. */
const all = (asked, ask) => asked.reduce((sum, window, at) => sum + (at + 1) * ask(window), 0);
const ofWorld = (asked) => all(asked, (b) => sumIds(world.window(b.minX, b.minY, b.maxX, b.maxY)));
const ofOurs = (asked) => all(asked, (b) => sumItems(ours.search(b)));
const ofTheirs = (asked) => all(asked, (b) => sumItems(theirs.search(b)));
const afterwards = windows(50);
console.log(`${n} boxes; ${WINDOWS} windows\n| | quadrille | times as long |\n|---|---|---|`);
for (const size of [3, 20, 100]) {
    race(`windows of ${size}`, () => windows(size), [
        ['world', ofWorld],
        ['adapter', ofOurs],
        ['rbush', ofTheirs],
    ]);
    race(`collides of ${size}`, () => windows(size), [
        ['world', (asked) => all(asked, (b) => +world.any(b.minX, b.minY, b.maxX, b.maxY))],
        ['adapter', (asked) => all(asked, (b) => +ours.collides(b))],
        ['rbush', (asked) => all(asked, (b) => +theirs.collides(b))],
    ]);
}
race('all move, 100 windows of 50', () => (fly(items), fill(), windows(50).slice(0, 100)), [
    ['world', (asked) => (world.moveBoxes(0, coords), ofWorld(asked))],
    ['adapter by moveAll', (asked) => (ours.moveAll(), ofOurs(asked))],
    ['rbush loaded anew', (asked) => (theirs.clear().load(items), ofTheirs(asked))],
]);
race('clear and load', () => items, [
    ['world', () => { world.clear(); world.insertBoxes(layer, 0, coords); }, ofWorld],
    ['adapter', () => { ours.clear().load(items); }, ofOurs],
    ['rbush', () => { theirs.clear().load(items); }, ofTheirs],
]);
race('remove and insert of 1000', () => items.slice(0, 1000), [
    ['world', (some) => { for (const { id, minX, minY, maxX, maxY } of some) { world.remove(id); world.insert(layer, id, minX, minY, maxX, maxY); } }, ofWorld],
    ['adapter', (some) => { for (const item of some) ours.remove(item).insert(item); }, ofOurs],
    ['rbush', (some) => { for (const item of some) theirs.remove(item).insert(item); }, ofTheirs],
]);
