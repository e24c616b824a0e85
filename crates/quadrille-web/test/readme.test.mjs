// The programs of the README and of the guide run.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

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

test('guide', () => {
    const [printed] = run('../../../docs/guide/web.md', 'const fly = (places) => places.fill(50, 0, 4); const draw = (id) => console.log(id);', 'world.clear(); world.insertPoints(units, 0, places.fill(500)); frame();');
    assert.equal(printed, '0\n1\n');
});
