// The programs of the README and of the guide run.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';

/** Runs the programs of a page, in the package, so that its own name leads to it; returns what they print. */
function run(page, before, after = '') {
    const programs = [...readFileSync(new URL(page, import.meta.url), 'utf8').matchAll(/^```js\n(.*?)^```/gms)].map(([, program]) => program);
    return programs.map((program) => {
        const file = new URL('../pkg/snippet.mjs', import.meta.url);
        writeFileSync(file, `${before}\n${program}\n${after}`);
        return execFileSync(process.execPath, [file.pathname], { encoding: 'utf8' });
    });
}

test('README', () => {
    const [first, second] = run('../README.md', 'const items = [{ minX: 0, minY: 0, maxX: 1, maxY: 1 }];', "if (typeof tree !== 'undefined') console.log(tree.search({ minX: 2, minY: 0, maxX: 2, maxY: 0 }).length);");
    const told = [...readFileSync(new URL('../README.md', import.meta.url), 'utf8').matchAll(/^console.log.*\/\/ (.*)$/gm)].map(([, result]) => result);
    assert.deepEqual(first.trim().split('\n').map((line) => line.replace(/\[ (.*) \]/, '[$1]')), told);
    assert.equal(second, '1\n');
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

test('guide', () => {
    const [printed] = run('../../../docs/guide/web.md', 'const fly = (places) => places.fill(50, 0, 4); const draw = (id) => console.log(id);', 'world.clear(); world.insertPoints(units, 0, places.fill(500)); frame();');
    assert.equal(printed, '0\n1\n');
});
