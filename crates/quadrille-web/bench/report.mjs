// Makes results.md and ratios.svg of results/*.csv, and the tables of the README:  node bench/report.mjs
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { draw } from './plot.mjs';

const here = (name) => new URL(name, import.meta.url);
const BASES = { contenders: 'quadrille', rbush: 'quadrille/rbush' };
const RUNS = ['node', 'chromium'].filter((name) => existsSync(here(`results/${name}.csv`))).map(read);

/** The rows of a run, each with its multiple of the time of the package. */
function read(name) {
    const [about, header, ...lines] = readFileSync(here(`results/${name}.csv`), 'utf8').trim().split('\n');
    const columns = header.split(';');
    const rows = lines.map((line) => Object.fromEntries(line.split(';').map((value, at) => [columns[at], ['n', 'ms'].includes(columns[at]) ? Number(value) : value])));
    const key = ({ table, kind, spread, n, workload }) => [table, kind, spread, n, workload].join();
    const bases = new Map(rows.filter(({ table, contender }) => contender === BASES[table]).map((row) => [key(row), row.ms]));
    return { name, about: about.replace('# ', ''), rows: rows.map((row) => ({ ...row, run: name, ratio: row.ms / bases.get(key(row)) })) };
}

const distinct = (rows, column) => [...new Set(rows.map((row) => row[column]))];
const short = (number) => (number < 10 ? number.toPrecision(2) : number.toFixed());
const count = (n) => n.toLocaleString('en').replaceAll(',', ' ');

/** A row for each workload; the time of the base, and the others as multiples of it. */
function table(rows, base) {
    const others = distinct(rows, 'contender').filter((name) => name !== base);
    const lines = distinct(rows, 'workload').map((workload) => {
        const of = (name) => rows.find((row) => row.workload === workload && row.contender === name);
        const cells = others.map((name) => (of(name) ? short(of(name).ratio) : '–'));
        return [workload, `${of(base).ms.toPrecision(2)} ms`, ...cells.map((cell) => (Number(cell) < 1 ? `**${cell}**` : cell))];
    });
    return [[' ', base, ...others], ['---', ...others.map(() => '--:'), '--:'], ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function page({ about, rows }) {
    const parts = Object.entries(BASES).flatMap(([name, base]) => distinct(rows, 'n').flatMap((n) => distinct(rows, 'kind').flatMap((kind) => distinct(rows, 'spread').map((spread) => {
        const some = rows.filter((row) => row.table === name && row.n === n && row.kind === kind && row.spread === spread);
        if (!some.length) return '';
        return `### ${name === 'rbush' ? 'The class of rbush: ' : ''}${count(n)} ${kind}${spread === 'crowds' ? ' in crowds' : ''}\n\n${table(some, base)}\n`;
    })))).filter(Boolean);
    return `## ${about}\n\n${parts.join('\n')}`;
}

const INTRO = `# quadrille beside other packages

The time of the package in milliseconds, and that of the others as multiples of it: above 1 they are slower, **below 1 faster**.
Medians of 11 rounds in which all take turns, after five that do not count; all answers were the same. In Node it is the processor
time of the process, in Chromium the time of the day. One run, on a busy machine (a load of 8 to 10 on two processors): where two are
within a fifth, take them for equal.

- Places are spread evenly, at a mean distance of 10, or four fifths of them lie in twelve crowds. Boxes have sides of 2 to 6.
- Windows of 20 hold 4 points or 6 boxes, of 100 some 100; more in crowds. There are 10 000 questions in each round, 2000 of the
  windows of 100, all different. Pairs are those within a distance of 3.
- flatbush, kdbush and the grid are built anew where something has moved; rbush is loaded anew where all have, and d3-quadtree is built
  anew; where 1 % have, these two remove and insert them.
- Each has the settings that were best here, of node sizes 8 to 128 and numbers of 32 and 64 bits: flatbush nodes of 16, of 8 for the
  nearest, and \`Float32Array\` where it is built anew; kdbush nodes of 16, of 64 where it is built anew; rbush nodes of 9. The package
  has none to set; \`borrowed lists\` are its worlds that copy no answer.
- The grid by hand is \`contenders/grid.mjs\`: a counting sort into typed arrays, with cells of the best size for even places.

\`npm run bench\` measures, \`node bench/report.mjs\` writes this page and the plot.

![Ratios](ratios.svg)
`;

/** What the README shows of them: kind, spread and workload. */
const SHOWN = [
    ['points', 'even', 'windows of 20'], ['points', 'even', 'nearest'], ['points', 'even', 'all pairs'], ['points', 'even', 'all move, 100 windows of 50'],
    ['boxes', 'even', 'windows of 20'], ['boxes', 'even', 'windows of 100'], ['boxes', 'even', 'any in windows of 100'], ['boxes', 'even', 'nearest'],
    ['boxes', 'even', 'all pairs'], ['boxes', 'even', 'load'], ['boxes', 'even', 'all move, 100 windows of 50'],
    ['boxes', 'even', '1 % move, 1000 windows of 20'], ['boxes', 'even', 'remove and insert 1000'],
    ['boxes', 'crowds', 'windows of 20'], ['boxes', 'crowds', 'all pairs'], ['boxes', 'crowds', 'all move, 100 windows of 50'],
];
const OTHERS = ['quadrille/f32', 'borrowed lists', 'rbush', 'flatbush', 'kdbush', 'd3-quadtree', 'grid by hand'];

const lines = (cells) => cells.map((row) => `| ${row.join(' | ')} |`).join('\n');
/** The multiples at each number of objects. */
function multiples(rows, match) {
    const some = rows.filter((row) => Object.entries(match).every(([column, value]) => row[column] === value));
    return some.length ? some.map(({ ratio }) => short(ratio)).join(', ') : '–';
}

function shown([{ rows }]) {
    const others = SHOWN.map(([kind, spread, workload]) => [`${kind}${spread === 'crowds' ? ' in crowds' : ''}: ${workload}`, ...OTHERS.map((contender) => multiples(rows, { table: 'contenders', kind, spread, workload, contender }))]);
    const operations = distinct(rows.filter(({ table }) => table === 'rbush'), 'workload');
    const ofRBush = operations.map((workload) => [workload, ...['even', 'crowds'].map((spread) => multiples(rows, { table: 'rbush', spread, workload, contender: 'rbush' }))]);
    return {
        ratios: lines([[' ', ...OTHERS], ['---', ...OTHERS.map(() => '--:')], ...others]),
        rbush: lines([['rbush, as a multiple of the class', 'even places', 'crowds'], ['---', '--:', '--:'], ...ofRBush]),
    };
}

const readme = Object.entries(shown(RUNS)).reduce((text, [name, made]) => text.replace(new RegExp(`(<!-- ${name} -->\n)[^]*?(?=<!-- end -->)`), (_, mark) => `${mark}${made}\n`), readFileSync(here('../README.md'), 'utf8'));
writeFileSync(here('../README.md'), readme);
writeFileSync(here('results/results.md'), [INTRO, ...RUNS.map(page)].join('\n'));
writeFileSync(here('results/ratios.svg'), await draw(RUNS.flatMap(({ rows }) => rows.filter((row) => row.table === 'contenders'))));
