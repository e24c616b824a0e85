// The answers of the engines beside a scan, without a browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENGINES } from '../src/demo.js';
import { load } from '../src/engines/quadrille.js';
import { compare } from '../src/verify.js';

await load();

test('all engines answer as a scan does', () => {
    const { answers, found, differences } = compare();
    assert.deepEqual(differences, []);
    assert.equal(answers, 90 * 3 * 8);
    assert.ok(found.every((ids) => ids > 50), `${found} ids say little`);
});

test('a wrong answer is seen', () => {
    class Wrong extends ENGINES.flatbush {
        search(...window) { return super.search(...window).slice(1); }
    }
    const { differences } = compare({ Wrong });
    assert.ok(differences.length > 90, differences.length);
});
