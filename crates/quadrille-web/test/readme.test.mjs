// The programs of the README and of the guide run.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';

/** The programs of a page, or of the part below a heading. */
function programs(page, heading) {
    let text = readFileSync(new URL(page, import.meta.url), 'utf8');
    if (heading) [text] = text.slice(text.indexOf(`\n${heading}\n`) + heading.length + 2).split(/^##/m);
    return [...text.matchAll(/^```js\n(.*?)^```/gms)].map(([, program]) => program);
}

/** Runs a program in the package, so that its own name leads to it; returns what it prints. */
function run(program, before = '', after = '') {
    const file = new URL('../pkg/snippet.mjs', import.meta.url);
    writeFileSync(file, `${before}\n${program}\n${after}`);
    return execFileSync(process.execPath, [file.pathname], { encoding: 'utf8' });
}

test('README', () => {
    const [first, second, ...rest] = programs('../README.md');
    const told = [...first.matchAll(/^console.log.*\/\/ (.*)$/gm)].map(([, result]) => result);
    assert.deepEqual(run(first).trim().split('\n').map((line) => line.replace(/\[ (.*) \]/, '[$1]')), told);
    assert.equal(run(second, 'const items = [{ minX: 0, minY: 0, maxX: 1, maxY: 1 }];', 'console.log(tree.search({ minX: 2, minY: 0, maxX: 2, maxY: 0 }).length);'), '1\n');
    assert.equal(rest.length, 0);
});

test('the sizes in the README are those of the modules', () => {
    const table = readFileSync(new URL('../README.md', import.meta.url), 'utf8').match(/^\| entry [^]*?\n\n/m)[0];
    const told = [...table.matchAll(/^\| (`.*?`) \|.*\| ([\d, ]+) \|$/gm)].flatMap(([, entries, sizes]) => {
        const names = entries.match(/(?<=`quadrille)(\/[\w-]+)?(?=`)/g).map((name) => name.slice(1) || 'index');
        return sizes.split(', ').map((size, at) => [names[at], Number(size)]);
    });
    assert.deepEqual(told.map(([name]) => name).sort(), ['3d', '3d-f32', 'f32', 'index', 'lite', 'periodic']);
    for (const [name, size] of told) {
        const bytes = brotliCompressSync(readFileSync(new URL(`../pkg/${name}.wasm`, import.meta.url))).length;
        assert.ok(Math.abs(bytes / 1000 - size) < 1.5, `${name}: ${bytes} bytes`);
    }
});

const GUIDE = '../../../docs/guide/web.md';

test('guide', () => {
    const [frame] = programs(GUIDE), [walk] = programs(GUIDE, '## Walls');
    const before = 'const fly = (places) => places.fill(50, 0, 4); const draw = (...ids) => console.log(ids.join());';
    assert.equal(run(frame, before, 'world.clear(); world.insertPoints(units, 0, places.fill(500)); frame();'), '0,1\n1,0\n');
    assert.equal(run(walk), `${walk.match(/^console.log.*\/\/ (.*)$/m)[1]}\n`);
    assert.equal(programs(GUIDE).length, 3);
});

test('longitude and latitude', () => {
    const program = programs('../../../docs/guide/globes.md').join('\n');
    const told = [...program.matchAll(/^console.log.*\/\/ (.*)$/gm)].map(([, result]) => result);
    assert.equal(told.length, 5);
    assert.deepEqual(run(program).trim().split('\n'), told);
});
