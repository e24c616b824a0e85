// Polygons, watches of each kind of region, and pairs of some layers, beside scans on a coarse lattice.
import assert from 'node:assert/strict';
import { test } from 'node:test';

function random(seed) {
    return (below) => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % 65536 % below;
}
const sorted = (list) => [...list].sort((a, b) => a - b);
const same = (found, expected, what) => assert.deepEqual(sorted(found), sorted(expected), what);

/** The side of a line on which a point lies; exact for small whole numbers. */
const side = ([fromX, fromY, toX, toY], x, y) => Math.sign((toX - fromX) * (y - fromY) - (toY - fromY) * (x - fromX));

function touchesEdge(edge, [minX, minY, maxX, maxY]) {
    const [fromX, fromY, toX, toY] = edge;
    if (Math.min(fromX, toX) > maxX || Math.max(fromX, toX) < minX || Math.min(fromY, toY) > maxY || Math.max(fromY, toY) < minY) return false;
    const sides = [[minX, minY], [minX, maxY], [maxX, minY], [maxX, maxY]].map(([x, y]) => side(edge, x, y));
    return !(sides.every((at) => at > 0) || sides.every((at) => at < 0));
}

const edgesOf = (ring) => ring.flatMap((_, at) => (at % 2 ? [] : [[ring[at], ring[at + 1], ring[(at + 2) % ring.length], ring[(at + 3) % ring.length]]]));

/** Whether a box meets the rings: an edge of them, or it lies where the way out crosses an odd number of edges. */
function meetsRings(rings, box) {
    const edges = rings.flatMap(edgesOf), [x, y] = box;
    if (edges.some((edge) => touchesEdge(edge, box))) return true;
    return edges.filter(([fromX, fromY, toX, toY]) => (fromY <= y) !== (toY <= y) && side(fromY < toY ? [fromX, fromY, toX, toY] : [toX, toY, fromX, fromY], x, y) > 0).length % 2 === 1;
}

for (const [name, D] of [['index', 2], ['f32', 2], ['periodic', 2], ['3d', 3], ['3d-f32', 3]]) test(`${name}: regions against scans`, async () => {
    const quadrille = await (await import(`../pkg/${name}.js`)).init(), below = random(3), axes = [...Array(D).keys()];
    const world = quadrille.world(...axes.map(() => 0), ...axes.map(() => 40)), points = world.addPointLayer(), boxes = world.addBoxLayer();
    const place = () => axes.map(() => below(40)), layers = [-1, 1 << points, 1 << boxes];
    const box = (size) => { const min = place(); return [...min, ...min.map((at) => at + below(size))]; };
    const held = Array.from({ length: 500 }, (_, id) => { const at = place(); return id < 200 ? [...at, ...at] : box(5); });
    held.forEach((shape, id) => world.insert(id < 200 ? points : boxes, id, ...shape));
    const scan = (test, among = -1) => held.flatMap((shape, id) => ((among >> (id < 200 ? points : boxes)) & 1 && test(shape) ? [id] : []));
    const ball = (at) => (shape) => axes.reduce((sum, axis) => sum + Math.max(0, shape[axis] - at[axis], at[axis] - shape[axis + D]) ** 2, 0) <= at[D] ** 2;
    const inBox = (asked) => (shape) => axes.every((axis) => asked[axis] <= shape[axis + D] && shape[axis] <= asked[axis + D]);
    const ring = (corners, reach) => { const [x, y] = place(); return Array.from({ length: corners }, () => [x + below(reach), y + below(reach)]).flat(); };

    const kinds = [
        () => { const asked = [...place(), below(12)]; return [{ ball: asked }, ball(asked)]; },
        () => { const asked = box(20); return [{ box: asked }, inBox(asked)]; },
        ...D === 3 ? [] : [
            () => { const polygon = ring(3 + below(6), 20); return [{ polygon }, (shape) => meetsRings([polygon], shape)]; },
            () => {
                const rings = [ring(4, 30), ring(3, 12), ring(5, 20)], corners = rings.map((list) => [...list.slice(0, -1).map((_, at) => at).filter((at) => at % 2 === 0).map((at) => [list[at], list[at + 1], 7]), [list[0], list[1]]]);
                const geometry = [{ type: 'Polygon', coordinates: corners }, { type: 'MultiPolygon', coordinates: [corners.slice(0, 2), corners.slice(2)] }][below(2)];
                return [below(2) ? geometry : { type: 'Feature', properties: {}, geometry }, (shape) => meetsRings(rings, shape)];
            },
            () => { const polygon = ring(4, 30), holes = [ring(3, 12), ring(3, 12)]; return [{ polygon, holes }, (shape) => meetsRings([polygon, ...holes], shape)]; },
        ],
    ];
    for (let round = 0; round < 200; round++) {
        const among = layers[round % 3], [region, test] = kinds[round % kinds.length](), asked = JSON.stringify(region);
        const expected = scan(test, among), watch = world.watch(region, among);
        same(watch.poll().entered, expected, asked);
        same(watch.inside(), expected);
        if (region.polygon && !region.holes) same(world.polygon(region.polygon, among), expected, asked);
        if (region.type) same(world.polygon(region, among), expected, asked);
        if (region.ball) same(world.within(...region.ball, among), expected, asked);
        const [other, otherTest] = kinds[(round + 1) % kinds.length](), now = scan(otherTest, among);
        watch.move(other);
        const { entered, left } = watch.poll();
        same([...expected.filter((id) => ![...left].includes(id)), ...entered], now, asked);
        watch.free();
        assert.throws(() => watch.poll(), /was freed/);
        // One moves, so that each round has other pairs.
        const to = place();
        held[round] = [...to, ...to];
        assert.equal(world.move(round, ...held[round]), true);
    }

    const near = (distance, among, amongOther = among) => scan(() => true, among).flatMap((a) => scan(() => true, amongOther).flatMap((b) => {
        const far = axes.reduce((sum, axis) => sum + Math.max(0, held[a][axis] - held[b][axis + D], held[b][axis] - held[a][axis + D]) ** 2, 0);
        return (among === amongOther ? a < b : a !== b) && far <= distance ** 2 ? [Math.min(a, b) * 512 + Math.max(a, b)] : [];
    }));
    const keys = (ids) => Array.from({ length: ids.length / 2 }, (_, at) => Math.min(ids[2 * at], ids[2 * at + 1]) * 512 + Math.max(ids[2 * at], ids[2 * at + 1]));
    for (const distance of [0, 2]) {
        for (const among of layers) {
            same(keys(world.pairs({ layers: among, within: distance })), near(distance, among), 'pairs');
            same(keys(world.contacts({ layers: among, within: distance }).poll().begun), near(distance, among), 'contacts');
        }
        same(keys(world.pairs({ layers: 1 << points, between: 1 << boxes, within: distance })), near(distance, 1 << points, 1 << boxes), 'between');
    }
});

test('an empty polygon of GeoJSON finds nothing', async () => {
    const world = (await (await import('../pkg/index.js')).init()).world(0, 0, 9, 9);
    world.insert(world.addPointLayer(), 0, 0, 0);
    for (const type of ['Polygon', 'MultiPolygon']) {
        same(world.polygon({ type, coordinates: [] }), []);
        same(world.watch({ type, coordinates: [] }).poll().entered, []);
    }
});
