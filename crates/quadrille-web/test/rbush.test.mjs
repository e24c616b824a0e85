// The class beside rbush itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Theirs from 'rbush';
import Ours from '../pkg/rbush.js';

test('answers as rbush', () => {
    const ours = new Ours(), theirs = new Theirs(), items = [];
    let seed = 5;
    const below = (n) => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % 65536 % n;
    const box = () => { const [minX, minY] = [below(50), below(50)]; return { minX, minY, maxX: minX + below(4), maxY: minY + below(4) }; };
    const both = (change) => { change(ours); change(theirs); };
    const same = (a, b) => assert.ok(a.length === b.length && new Set([...a, ...b]).size === new Set(a).size);
    const loaded = Array.from({ length: 200 }, box);
    items.push(...loaded);
    both((tree) => tree.load(loaded));
    for (let round = 0; round < 500; round++) {
        if (below(2) && items.length) {
            const [item] = items.splice(below(items.length), 1);
            both((tree) => (round % 2 ? tree.remove(item) : tree.remove({ ...item, item }, (a, b) => a.item === b)));
        } else {
            const item = box();
            items.push(item);
            both((tree) => tree.insert(item));
        }
        const asked = box();
        same(ours.search(asked), theirs.search(asked));
        assert.equal(ours.collides(asked), theirs.collides(asked));
        same(ours.all(), theirs.all());
    }
    for (const item of items) Object.assign(item, box());
    ours.moveAll();
    Object.assign(items[0], { minX: -5, maxX: -5 });
    ours.remove(items[0]).move(items[0]); // one that is not there is inserted
    theirs.clear().load(items);
    for (let round = 0; round < 100; round++) { const asked = box(); same(ours.search(asked), theirs.search(asked)); }
    assert.deepEqual(ours.search({ minX: -9, minY: -9, maxX: -5, maxY: 99 }), [items[0]]);
    same(ours.search({ minX: -Infinity, minY: -Infinity, maxX: Infinity, maxY: Infinity }), items);
    both((tree) => tree.clear());
    assert.deepEqual(ours.all(), []);
    const twice = box();
    both((tree) => tree.insert(twice).insert(twice).remove(twice));
    assert.deepEqual(ours.all(), theirs.all());
    ours.clear().load(loaded);
    ours.remove({ ...loaded[0] }).remove({});
    assert.equal(ours.all().length, 200);
    // Unlike in rbush, an item may have changed its box before it is removed.
    Object.assign(loaded[0], { minX: 900, maxX: 900 });
    Object.assign(loaded[1], { minX: NaN });
    ours.remove(loaded[0]).remove(loaded[1]).remove(loaded[2]).remove(loaded[2]);
    same(ours.all(), loaded.slice(3));
    ours.insert(loaded[2]).insert(loaded[2]).remove(loaded[2]);
    same(ours.all(), loaded.slice(2));
    assert.deepEqual(ours.fromJSON(JSON.parse(JSON.stringify(ours))).all().length, 198);
    // Either reads what the other has saved.
    theirs.clear().load(loaded.slice(2));
    assert.ok(theirs.data.height > 1);
    const saved = (tree) => JSON.parse(JSON.stringify(tree)), lines = (tree) => tree.all().map((item) => JSON.stringify(item)).sort();
    const { minX, minY, maxX, maxY } = theirs.data, bounds = { minX, minY, maxX, maxY };
    const all = lines(theirs), asked = { minX: 10, minY: 10, maxX: 20, maxY: 20 }, found = theirs.search(asked).length;
    assert.deepEqual(lines(ours.fromJSON(saved(theirs))), all);
    assert.deepEqual(lines(theirs.fromJSON(saved(ours))), all);
    assert.deepEqual([ours.search(asked).length, theirs.search(asked).length], [found, found]);
    assert.deepEqual({ ...ours.data, children: [] }, { ...bounds, children: [], height: 1, leaf: true });
    assert.deepEqual({ ...new Ours().data }, { ...new Theirs().data });
    ours.clear().insert(twice);
    assert.throws(() => ours.insert({ minX: 0 }), RangeError);
    assert.equal(ours.all().length, 1);
});
