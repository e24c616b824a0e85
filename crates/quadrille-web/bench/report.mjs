// Makes ratios.svg of results/*.csv, and the tables of the README:  node bench/report.mjs
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { draw } from './plot.mjs';

const here = (name) => new URL(name, import.meta.url);
const BASES = { contenders: 'quadrille', globe: 'quadrille/3d', rbush: 'quadrille/rbush' };
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

const short = (number) => (number < 10 ? number.toPrecision(2) : number.toFixed());

/** Those that the README shows: kind, spread and workload. */
const SHOWN = [
    ['points', 'even', 'windows of 20'], ['points', 'even', 'nearest'], ['points', 'even', 'all pairs'], ['points', 'even', 'all move, 100 windows of 50'],
    ['boxes', 'even', 'windows of 20'], ['boxes', 'even', 'all pairs'], ['boxes', 'even', 'all move, 100 windows of 50'],
    ['boxes', 'even', '1 % move, 1000 windows of 20'], ['boxes', 'crowds', 'windows of 20'], ['boxes', 'crowds', 'all move, 100 windows of 50'],
];
const OF_RBUSH = ['search, 20', 'collides, 20', 'insert 1000', 'remove 1000', 'load', 'clear and load'];
/** The table of `quadrille/3d`. */
const OVER_THE_GLOBE = ['nearest 10', 'all move, 1000 nearest 10'];
const OTHERS = ['rbush', 'flatbush', 'kdbush', 'd3-quadtree', 'grid by hand'];

const lines = (cells) => cells.map((row) => `| ${row.join(' | ')} |`).join('\n');
/** The multiples at each number of objects. */
function multiples(rows, match) {
    const some = rows.filter((row) => Object.entries(match).every(([column, value]) => row[column] === value));
    return some.length ? some.map(({ ratio }) => short(ratio)).join(', ') : '–';
}

function shown([{ rows }]) {
    const others = SHOWN.map(([kind, spread, workload]) => [`${kind}${spread === 'crowds' ? ' in crowds' : ''}: ${workload}`, ...OTHERS.map((contender) => multiples(rows, { table: 'contenders', kind, spread, workload, contender }))]);
    const globe = OVER_THE_GLOBE.map((workload) => [`over the globe: ${workload}`, ...OTHERS.map((contender) => multiples(rows, { table: 'globe', workload, contender: `geo${contender}` }))]);
    const ofRBush = OF_RBUSH.map((workload) => [workload, ...['even', 'crowds'].map((spread) => multiples(rows, { table: 'rbush', spread, workload, contender: 'rbush' }))]);
    return {
        ratios: lines([[' ', ...OTHERS], ['---', ...OTHERS.map(() => '--:')], ...others, ...globe]),
        rbush: lines([['rbush, as a multiple of the class', 'even places', 'crowds'], ['---', '--:', '--:'], ...ofRBush]),
    };
}

const readme = Object.entries(shown(RUNS)).reduce((text, [name, made]) => text.replace(new RegExp(`(<!-- ${name} -->\n)[^]*?(?=<!-- end -->)`), (_, mark) => `${mark}${made}\n`), readFileSync(here('../README.md'), 'utf8'));
writeFileSync(here('../README.md'), readme);
writeFileSync(here('results/ratios.svg'), await draw(RUNS.flatMap(({ rows }) => rows.filter((row) => row.table === 'contenders'))));
