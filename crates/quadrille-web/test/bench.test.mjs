// The benchmark in small: it throws where the answers of two contenders differ.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draw } from '../bench/plot.mjs';
import { measure } from '../bench/measure.mjs';

test('all contenders of the benchmark give the same answers', async () => {
    const rows = [];
    await measure({ clock: () => performance.now(), sizes: [400], rounds: 2, quick: true, tell: (row) => rows.push(row) });
    const contenders = new Set(rows.map(({ contender }) => contender));
    assert.deepEqual([...contenders].sort(), ['borrowed lists', 'd3-quadtree', 'flatbush', 'geokdbush', 'grid by hand', 'kdbush', 'quadrille', 'quadrille/3d', 'quadrille/f32', 'quadrille/rbush', 'rbush']);
    for (const { ms, ...what } of rows) assert.ok(ms >= 0, JSON.stringify(what));
    const picture = await draw(rows.map((row) => ({ ...row, run: 'node', ratio: 2 })));
    for (const contender of contenders) assert.ok(picture.includes(`>${contender}<`), contender);
});
