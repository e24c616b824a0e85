// Measures, and writes results/*.csv; then `report.mjs` makes the page and the plot of them.
//
//   npm run bench                  in Node, and in Chromium where there is one
//   npm run bench -- node rbush    one table in one of them; those of before remain
//
// In Node the time is the processor's, of the whole process; so other programs on the machine do not count, and the collector of
// garbage does. A page can only ask for the time of the day.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { NO_CHROMIUM, visit } from '../test/chromium.mjs';
import { TABLES, measure } from './measure.mjs';

const RESULTS = new URL('results/', import.meta.url);
const COLUMNS = ['table', 'kind', 'spread', 'n', 'workload', 'contender', 'ms'];

async function inNode(tell, tables) {
    const clock = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
    await measure({ clock, tell, tables });
    return `Node ${process.versions.node}`;
}

async function inChromium(tell, tables) {
    const package_ = new URL('..', import.meta.url);
    const from = (name) => new URL(import.meta.resolve(name)).pathname.slice(fileURLToPath(package_).length - 1);
    const names = ['quadrille', 'quadrille/f32', 'quadrille/3d', 'quadrille/rbush', 'rbush', 'quickselect', 'flatbush', 'flatqueue', 'kdbush', 'geokdbush', 'tinyqueue', 'd3-quadtree'];
    const page = `<script type="importmap">${JSON.stringify({ imports: Object.fromEntries(names.map((name) => [name, from(name)])) })}</script>
<script type="module">
import { measure } from '/bench/measure.mjs';
const post = (path, body) => fetch(path, { method: 'POST', body });
await measure({ tables: ${JSON.stringify(tables)}, clock: () => performance.now(), tell: (row) => post('/row', JSON.stringify(row)) });
await post('/done', navigator.userAgent.match(/Chrome.[0-9]+/)[0].replace('/', ' '));
</script>`;
    const read = (path) => {
        const file = new URL(`.${path}`, package_);
        return path === '/' ? page : existsSync(file) ? readFileSync(file) : undefined;
    };
    const told = await visit(read, { flags: ['--js-flags=--expose-gc'], hear: (row) => tell(JSON.parse(row)) });
    if (told.startsWith('error')) throw new Error(told);
    return told;
}

/** The rows of tables that are not measured now. */
function kept(file, tables) {
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8').trim().split('\n').slice(2).filter((line) => !tables.includes(line.split(';')[0]));
}

async function write(name, run, tables) {
    const lines = [], begun = Date.now(), file = new URL(`${name}.csv`, RESULTS);
    const where = await run((row) => {
        const line = COLUMNS.map((column) => (column === 'ms' ? row.ms.toPrecision(4) : row[column])).join(';');
        lines.push(line);
        console.log(`${((Date.now() - begun) / 1000).toFixed()} s: ${line}`);
    }, tables);
    const all = [...kept(file, tables), ...lines].sort((a, b) => TABLES.indexOf(a.split(';')[0]) - TABLES.indexOf(b.split(';')[0]));
    writeFileSync(file, `${[`# ${where}, ${cpus()[0].model}, ${cpus().length} processors`, COLUMNS.join(';'), ...all].join('\n')}\n`);
}

const RUNS = { node: inNode, chromium: inChromium };
const asked = process.argv.slice(2), unknown = asked.find((name) => !RUNS[name] && !TABLES.includes(name));
if (unknown) throw new Error(`there is no ${unknown}: ${[...Object.keys(RUNS), ...TABLES]}`);
const those = (names) => (names.some((name) => asked.includes(name)) ? names.filter((name) => asked.includes(name)) : names);
for (const name of those(Object.keys(RUNS))) {
    if (name === 'chromium' && NO_CHROMIUM) console.log(`not in Chromium: ${NO_CHROMIUM}`);
    else await write(name, RUNS[name], those(TABLES));
}
await import('./report.mjs');
