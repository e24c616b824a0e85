// Measures, and writes results/*.csv; then `report.mjs` makes the page and the plot of them.
//
//   npm run bench                  in Node, and in Chromium where there is one
//   npm run bench -- node          in one of them
//
// In Node the time is the processor's, of the whole process; so other programs on the machine do not count, and the collector of
// garbage does. A page can only ask for the time of the day.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { NO_CHROMIUM, visit } from '../test/chromium.mjs';
import { measure } from './measure.mjs';

const RESULTS = new URL('results/', import.meta.url);
const COLUMNS = ['table', 'kind', 'spread', 'n', 'workload', 'contender', 'ms'];

async function inNode(tell) {
    const clock = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
    await measure({ clock, tell });
    return `Node ${process.versions.node}`;
}

async function inChromium(tell) {
    const package_ = new URL('..', import.meta.url);
    const from = (name) => new URL(import.meta.resolve(name)).pathname.slice(fileURLToPath(package_).length - 1);
    const names = ['quadrille', 'quadrille/f32', 'quadrille/rbush', 'rbush', 'quickselect', 'flatbush', 'flatqueue', 'kdbush', 'd3-quadtree'];
    const page = `<script type="importmap">${JSON.stringify({ imports: Object.fromEntries(names.map((name) => [name, from(name)])) })}</script>
<script type="module">
import { measure } from '/bench/measure.mjs';
const post = (path, body) => fetch(path, { method: 'POST', body });
await measure({ clock: () => performance.now(), tell: (row) => post('/row', JSON.stringify(row)) });
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

async function write(name, run) {
    const rows = [], begun = Date.now();
    const where = await run((row) => {
        rows.push(row);
        console.log(`${((Date.now() - begun) / 1000).toFixed()} s: ${COLUMNS.map((column) => row[column]).join(', ')}`);
    });
    const about = `# ${where}, ${cpus()[0].model}, ${cpus().length} processors`;
    const lines = rows.map((row) => COLUMNS.map((column) => (column === 'ms' ? row.ms.toPrecision(4) : row[column])).join(';'));
    writeFileSync(new URL(`${name}.csv`, RESULTS), `${[about, COLUMNS.join(';'), ...lines].join('\n')}\n`);
}

const RUNS = { node: inNode, chromium: inChromium };
for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(RUNS)) {
    if (!RUNS[name]) throw new Error(`there is no ${name}: ${Object.keys(RUNS)}`);
    if (name === 'chromium' && NO_CHROMIUM) console.log(`not in Chromium: ${NO_CHROMIUM}`);
    else await write(name, RUNS[name]);
}
await import('./report.mjs');
