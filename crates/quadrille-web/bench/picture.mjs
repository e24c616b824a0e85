// Draws the circles of the same points side by side, at three zooms around a city: as supercluster makes them, as cells of a grid,
// and as this package does.
//
//   node bench/picture.mjs                    results/clusters.svg
//   node bench/picture.mjs FILE.svg POINTS    of fewer points or more
import { writeFileSync } from 'node:fs';
import Theirs from 'supercluster';
import { init } from '../pkg/index.js';
import Ours from '../pkg/supercluster.js';

const [FILE = new URL('results/clusters.svg', import.meta.url), N = 100_000] = process.argv.slice(2);
const ZOOMS = [2, 4, 6], SIDE = 360, GAP = 8, TITLE = 28, RADIUS = 40, BERLIN = [13.4, 52.52], SOME = '#c2410c', ONE = '#1d4ed8';

let seed = 3;
const dice = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32, around = () => dice() + dice() + dice() - 1.5;
const project = ([lng, lat]) => [lng / 360 + 0.5, 0.5 - Math.asinh(Math.tan(lat * Math.PI / 180)) / Math.PI / 2];

// A third of the points in towns, a third along roads between them, and a third anywhere.
const towns = [BERLIN, [-0.0005, 51.48], ...Array.from({ length: 38 }, () => [dice() * 300 - 150, dice() * 110 - 50])];
const places = Array.from({ length: Number(N) }, (_, at) => {
    const [a, b] = [towns[at % 40], towns[(at * 7 + 3) % 40]], part = dice();
    if (at % 3 === 0) return [a[0] + around() * 0.6, a[1] + around() * 0.6];
    if (at % 3 === 1) return [a[0] + (b[0] - a[0]) * part + around() * 0.1, a[1] + (b[1] - a[1]) * part + around() * 0.1];
    return [dice() * 340 - 170, dice() * 140 - 70];
});
const points = places.map((coordinates) => ({ type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates } }));

const quadrille = await init(), world = quadrille.world(0, 0, 1, 1);
world.insertPoints(world.addPointLayer(), 0, Float64Array.from(places.flatMap(project)));
const by = (index) => (zoom) => index.load(points).getClusters([-180, -85, 180, 85], zoom)
    .map(({ geometry, properties }) => [...project(geometry.coordinates), properties.point_count ?? 1]);
const byCell = (zoom) => {
    const { means, counts } = world.clusters(0, 0, 1, 1, 2 ** (-3 - zoom));
    return Array.from(counts, (count, at) => [means[2 * at], means[2 * at + 1], count]);
};
const columns = [['supercluster', by(new Theirs())], ['cells', byCell], ['quadrille/supercluster', by(new Ours())]];

function circle([x, y, count]) {
    const [radius, color] = count > 1 ? [Math.min(RADIUS / 2, 8 + 4 * Math.log10(count)), SOME] : [3, ONE];
    return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${radius.toFixed(1)}" fill="${color}" fill-opacity="0.7"/>`;
}

function panel(zoom, all) {
    const pixels = 512 * 2 ** zoom, [left, top] = project(BERLIN).map((at) => at - SIDE / 2 / pixels);
    const seen = all.map(([x, y, count]) => [(x - left) * pixels, (y - top) * pixels, count]);
    const circles = seen.filter(([x, y]) => Math.min(x, y) > 0 && Math.max(x, y) < SIDE).map(circle);
    return `<rect width="${SIDE}" height="${SIDE}" fill="white" stroke="#999"/>${circles.join('')}`;
}

const drawn = columns.map(([title, ask], column) => `<g transform="translate(${column * (SIDE + GAP) + 1})">`
    + `<text y="20" font-size="16">${title}</text>`
    + ZOOMS.map((zoom, row) => `<g transform="translate(0 ${TITLE + row * (SIDE + GAP)})">${panel(zoom, ask(zoom))}</g>`).join('\n')
    + '</g>');
const [width, height] = [columns.length * (SIDE + GAP), TITLE + ZOOMS.length * (SIDE + GAP)];
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif">`;
writeFileSync(FILE, `${svg}<rect width="${width}" height="${height}" fill="white"/>\n${drawn.join('\n')}\n</svg>\n`);
