// Draws results/clusters.svg: the clusters of the same points at the same zoom, as this package makes them, and as supercluster does.
//
//   node bench/picture.mjs
import { writeFileSync } from 'node:fs';
import Theirs from 'supercluster';
import Ours from '../pkg/supercluster.js';

const ZOOM = 4, TILE = [9, 6], WIDTH = 512, HEIGHT = 384, RADIUS = 40, GAP = 24, TITLE = 28;
const BUBBLE = { ours: '#c2410c', theirs: '#1d4ed8' };

let seed = 7;
const dice = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
const lng = (x) => (TILE[0] + x / WIDTH) / 2 ** ZOOM * 360 - 180;
const lat = (y) => Math.atan(Math.sinh(Math.PI * (1 - 2 * (TILE[1] + y / WIDTH) / 2 ** ZOOM))) * 180 / Math.PI;
const toX = (lng) => ((lng + 180) / 360 * 2 ** ZOOM - TILE[0]) * WIDTH;
const toY = (lat) => ((1 - Math.asinh(Math.tan(lat * Math.PI / 180)) / Math.PI) / 2 * 2 ** ZOOM - TILE[1]) * WIDTH;

const towns = [[110, 90, 22], [250, 130, 34], [335, 262, 26], [420, 90, 18], [150, 280, 30], [452, 320, 14]];
const places = Array.from({ length: 420 }, (_, at) => {
    const [x, y, size] = towns[at % towns.length], spread = () => (dice() + dice() + dice() - 1.5) * size * 1.6;
    return at % 4 === 0 ? [dice() * WIDTH, dice() * HEIGHT] : [x + spread(), y + spread()];
}).filter(([x, y]) => 0 <= x && x < WIDTH && 0 <= y && y < HEIGHT);
const points = places.map(([x, y]) => ({ type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [lng(x), lat(y)] } }));

const number = (value) => String(Math.round(value * 10) / 10);
const dots = places.map(([x, y]) => `<circle cx="${number(x)}" cy="${number(y)}" r="1.2"/>`).join('');

function bubbles(features, color) {
    return features.filter(({ properties }) => properties.cluster).map(({ geometry: { coordinates }, properties }) => {
        const at = `cx="${number(toX(coordinates[0]))}" cy="${number(toY(coordinates[1]))}"`, size = number(7 + Math.sqrt(properties.point_count) * 1.3);
        const text = `<text x="${number(toX(coordinates[0]))}" y="${number(toY(coordinates[1]) + 3.5)}">${properties.point_count}</text>`;
        return `<circle ${at} r="${RADIUS}" fill="none" stroke="#ddd"/><circle ${at} r="${size}" fill="${color}" fill-opacity="0.8"/>${text}`;
    }).join('');
}

function panel(left, title, front) {
    return `<g transform="translate(${left} 0)"><text class="title" y="18">${title}</text><svg y="${TITLE}" width="${WIDTH}" height="${HEIGHT}">
<rect width="100%" height="100%" fill="white"/><g fill="#777">${dots}</g><g class="count">${front}</g><rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${HEIGHT - 1}" fill="none" stroke="#bbb"/></svg></g>`;
}

const view = [lng(0), lat(HEIGHT), lng(WIDTH), lat(0)], ours = new Ours().load(points), theirs = new Theirs().load(points);
const [own, others] = [ours, theirs].map((index) => index.getClusters(view, ZOOM));
const count = (features) => features.reduce((sum, { properties }) => sum + (properties.point_count ?? 1), 0);
if (count(own) !== points.length) throw new Error(`${count(own)} of ${points.length} points are in clusters`);
writeFileSync(new URL('results/clusters.svg', import.meta.url), `<svg xmlns="http://www.w3.org/2000/svg" width="${2 * WIDTH + GAP}" height="${HEIGHT + TITLE}" font-family="sans-serif">
<style>.title{font-size:15px}.count text{font-size:10px;fill:white;text-anchor:middle}</style><rect width="100%" height="100%" fill="white"/>
${panel(0, 'quadrille/supercluster', bubbles(own, BUBBLE.ours))}
${panel(WIDTH + GAP, 'supercluster', bubbles(others, BUBBLE.theirs))}
</svg>
`);
console.log(`${points.length} points: ${own.length} clusters and lone points, ${others.length} of supercluster`);
ours.free();
