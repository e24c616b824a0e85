// The class of `quadrille/rbush` beside rbush, operation by operation. Both have the same items, so what one changes is put back
// before the other has its turn; `prepare` and `restore` are outside of the time.
import { mix } from './scene.mjs';

const QUESTIONS = 10_000, SOME = 1000;
const boxes = (scene, count, size) => Array.from(scene.places(count)).flatMap((minX, at, places) => (at % 2 ? [] : [{ minX, minY: places[at + 1], maxX: minX + size, maxY: places[at + 1] + size }]));
const sum = (items) => items.reduce((sum, { id }) => (sum + id) | 0, 0);

/** A tree of items, as the application holds it. */
export const standIn = (RBush, title) => class {
    static title = title;
    static kinds = ['boxes'];

    constructor(scene) {
        this.scene = scene;
        this.tree = new RBush(9, [0, 0, scene.side, scene.side]);
        this.items = Array.from({ length: scene.n }, (_, id) => {
            const [minX, minY, maxX, maxY] = scene.coords.subarray(4 * id, 4 * id + 4);
            return { id, minX, minY, maxX, maxY };
        });
        this.build();
    }

    build() { this.tree.clear().load(this.items); }
    windows(list) {
        let total = 0;
        for (let at = 0; at < list.length; at += 4) total = mix(total, sum(this.tree.search({ minX: list[at], minY: list[at + 1], maxX: list[at + 2], maxY: list[at + 3] })));
        return total;
    }

    free() { this.tree.free?.(); }
};

const asking = (name, size, ask) => ({
    name,
    prepare: (scene, part) => boxes(scene, part(size > 50 ? SOME : QUESTIONS), size),
    run: ({ tree }, asked) => asked.reduce((total, box) => mix(total, ask(tree, box)), 0),
});
const changing = (name, before, change, after = () => {}) => ({
    name,
    changes: true,
    prepare: (scene, part) => scene.some(part(SOME)),
    before: (contender, ids) => before(contender, [...ids].map((id) => contender.items[id])),
    run: (contender, ids) => (change(contender, [...ids].map((id) => contender.items[id])), 0),
    after: (contender, ids) => after(contender, [...ids].map((id) => contender.items[id])),
});
const nothing = () => {};
const remove = ({ tree }, some) => { for (const item of some) tree.remove(item); };
const insert = ({ tree }, some) => { for (const item of some) tree.insert(item); };
const sameItem = (one, other) => one.id === other.id;

export const OPERATIONS = [
    asking('search, 3', 3, (tree, box) => sum(tree.search(box))),
    asking('search, 20', 20, (tree, box) => sum(tree.search(box))),
    asking('search, 100', 100, (tree, box) => sum(tree.search(box))),
    asking('collides, 3', 3, (tree, box) => +tree.collides(box)),
    asking('collides, 20', 20, (tree, box) => +tree.collides(box)),
    asking('collides, 100', 100, (tree, box) => +tree.collides(box)),
    changing('insert 1000', remove, insert),
    changing('remove 1000', nothing, remove, insert),
    changing('remove 1000, by `equals`', nothing, ({ tree }, some) => { for (const item of some) tree.remove({ ...item }, sameItem); }, insert),
    changing('insert all, one by one', ({ tree }) => tree.clear(), (contender) => insert(contender, contender.items)),
    changing('load', ({ tree }) => tree.clear(), ({ tree, items }) => tree.load(items)),
    changing('load 1000 into the others', remove, ({ tree }, some) => tree.load(some)),
    changing('clear', nothing, ({ tree }) => tree.clear(), ({ tree, items }) => tree.load(items)),
    changing('clear and load', nothing, (contender) => contender.build()),
    { name: 'all', prepare: nothing, run: ({ tree }) => sum(tree.all()) },
    { name: 'toJSON, and as text', prepare: nothing, run: ({ tree }) => (JSON.stringify(tree.toJSON()), 0) },
    {
        name: 'fromJSON of text',
        changes: true,
        prepare: nothing,
        before: (contender) => { contender.saved = JSON.stringify(contender.tree.toJSON()); },
        run: ({ tree, saved }) => (tree.fromJSON(JSON.parse(saved)), 0),
        after: (contender) => contender.build(),
    },
];
