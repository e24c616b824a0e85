// Clusters of markers that all move, in each frame, in Chromium: the class of this package beside those of map libraries, which are
// built anew, and beside supercluster. leaflet.markercluster draws its icons too; the others only answer.
//
//   node bench/markers.mjs [FRAMES]
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { NO_CHROMIUM, visit } from '../test/chromium.mjs';

const POINTS = 10_000, ZOOMS = [3, 8, 13];

/** In the page: Leaflet and a map of Google's are globals there. */
async function measure({ frames, points: n, zooms, tell }) {
    const [{ default: Ours }, { default: Theirs }, { SuperClusterAlgorithm }] = await Promise.all(['quadrille/supercluster', 'supercluster', '@googlemaps/markerclusterer'].map((name) => import(name)));
    let seed = 3;
    const dice = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
    const towns = Array.from({ length: 10 }, () => [dice() * 300 - 150, dice() * 120 - 60]), far = () => (dice() + dice() + dice() - 1.5) * 2;
    const points = Array.from({ length: n }, (_, at) => {
        const [lng, lat] = towns[at % 10], coordinates = at % 2 ? [dice() * 340 - 170, dice() * 150 - 75] : [lng + far(), lat + far()];
        return { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates } };
    });
    const places = points.map(({ geometry }) => geometry.coordinates);
    const count = (features) => features.reduce((sum, { properties }) => sum + (properties.point_count ?? 1), 0);
    const all = [-180, -90, 180, 90], center = places[0];
    const ofGoogle = places.map((place) => ({ getPosition: () => ({ lng: () => place[0], lat: () => place[1] }), getVisible: () => true }));
    const map = L.map('map', { center: [center[1], center[0]], zoom: zooms[0], maxZoom: 18, zoomAnimation: false, fadeAnimation: false });
    const group = L.markerClusterGroup({ animate: false, chunkedLoading: false }), markers = places.map(([lng, lat]) => L.marker([lat, lng]));
    map.addLayer(group);
    const ours = new Ours().load(points);
    const contenders = {
        'quadrille/supercluster': (zoom) => count((ours.moveAll(), ours.getClusters(all, zoom))),
        supercluster: (zoom) => count(new Theirs().load(points).getClusters(all, zoom)),
        // It would not notice: it compares lists of markers. It has a supercluster of its own.
        '@googlemaps/markerclusterer': (zoom) => new SuperClusterAlgorithm({ radius: 40 }).calculate({ markers: ofGoogle, map: { getZoom: () => zoom } }).clusters.reduce((sum, { markers }) => sum + markers.length, 0),
        'leaflet.markercluster': () => {
            group.clearLayers();
            markers.forEach((marker, at) => { marker.setLatLng([places[at][1], places[at][0]]); });
            group.addLayers(markers);
            return group.getLayers().length;
        },
    };
    for (const zoom of zooms) {
        map.setView([center[1], center[0]], zoom, { animate: false });
        const times = {};
        for (let frame = -2; frame < frames; frame++) {
            places.forEach((place, at) => {
                place[0] += Math.sin(at + frame) * 0.01;
                place[1] += Math.cos(at + frame) * 0.01;
            });
            for (const [name, work] of Object.entries(contenders)) {
                const begun = performance.now(), found = work(zoom);
                if (frame >= 0) (times[name] ??= []).push(performance.now() - begun);
                if (found !== n) throw new Error(`${name} has ${found} of ${n} points`);
            }
        }
        const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
        await tell({ zoom, times: Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)])) });
    }
}

if (NO_CHROMIUM) throw new Error(NO_CHROMIUM);
const root = new URL('..', import.meta.url), modules = '/node_modules/', google = `${modules}@googlemaps/markerclusterer/`;
const from = (name) => new URL(import.meta.resolve(name)).pathname.slice(fileURLToPath(root).length - 1);
const imports = {
    'quadrille/supercluster': from('quadrille/supercluster'), supercluster: from('supercluster'), kdbush: from('kdbush'),
    '@googlemaps/markerclusterer': `${google}dist/index.esm.mjs`, 'fast-equals': from('fast-equals'),
};
const page = `<link rel="stylesheet" href="${modules}leaflet/dist/leaflet.css"><div id="map" style="width:1920px;height:1080px"></div>
<script>globalThis.google = { maps: { LatLng: class { constructor(place) { this.place = place; } } } };</script>
<script src="${modules}leaflet/dist/leaflet.js"></script><script src="${modules}leaflet.markercluster/dist/leaflet.markercluster.js"></script>
<script type="importmap">${JSON.stringify({ imports, scopes: { [google]: { supercluster: `${google}node_modules/supercluster/index.js` } } })}</script><script type="module">
const post = (path, body) => fetch(path, { method: 'POST', body });
await (${measure})({ frames: ${Number(process.argv[2] ?? 11)}, points: ${POINTS}, zooms: ${JSON.stringify(ZOOMS)}, tell: (row) => post('/row', JSON.stringify(row)) });
await post('/done', 'measured');
</script>`;

function hear(row) {
    const { zoom, times: { 'quadrille/supercluster': own, ...others } } = JSON.parse(row);
    const multiples = Object.entries(others).map(([name, time]) => `${name} ${(time / own).toFixed(1)}`);
    console.log(`zoom ${String(zoom).padStart(2)}: ${own.toFixed(2)} ms; ${multiples.join(', ')}`);
}

console.log(`${POINTS} markers that all move: quadrille/supercluster; others as a multiple`);
const told = await visit((path) => {
    const file = new URL(`.${path}`, root);
    return path === '/' ? page : existsSync(file) ? readFileSync(file) : undefined;
}, { hear });
if (told !== 'measured') throw new Error(told);
