// rbush's own tests, unchanged, over the class of this package. They are fetched at the commit below, or read from the file that
// RBUSH_SUITE names; where neither is there, the test says so and is skipped.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const SUITE = 'https://raw.githubusercontent.com/mourner/rbush/f9cdb8a7ce2fd38887e046792cea80fa8e28206c/test/test.js';
/** They look inside the tree of rbush: its height, or `data.children`. */
const CANNOT_PASS = [
    'constructor uses 9 max entries by default',
    '#load handles the insertion of maxEntries + 2 empty bboxes',
    '#insert handles the insertion of maxEntries + 2 empty bboxes',
    '#load properly splits tree root when merging trees of the same height',
    '#insert adds an item to an existing tree correctly',
];

async function suite() {
    if (process.env.RBUSH_SUITE) return readFileSync(process.env.RBUSH_SUITE, 'utf8');
    const fetched = fetch(SUITE, { signal: AbortSignal.timeout(10_000) });
    return fetched.then((response) => (response.ok ? response.text() : undefined)).catch(() => undefined);
}

test("rbush's own tests", async (t) => {
    const text = await suite();
    if (text === undefined) return t.skip('the tests of rbush could not be fetched');
    const folder = new URL('../pkg/rbush-suite/test/', import.meta.url).pathname;
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}test.js`, text);
    writeFileSync(`${folder}../index.js`, "export { default } from '../rbush.js';\n");
    // Not as a part of this run: its outcome is judged here.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', `${folder}test.js`], { encoding: 'utf8', env });
    const outcomes = [...stdout.matchAll(/^(not )?ok \d+ - (.*)$/gm)].map(([, failed, name]) => [name.replaceAll('\\', ''), !failed]);
    assert.equal(outcomes.length, 26);
    assert.deepEqual(outcomes.filter(([, passed]) => !passed).map(([name]) => name).sort(), [...CANNOT_PASS].sort());
});
