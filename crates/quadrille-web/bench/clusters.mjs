// Clusters of points that all move, in each frame: the class of this package beside supercluster, which is built anew, for all zooms as it
// does by itself, and for the zoom of the frame alone.
//
//   node bench/clusters.mjs [FRAMES]
import Theirs from 'supercluster';
import Ours from '../pkg/supercluster.js';

const frames = Number(process.argv[2] ?? 21);
const WORLD = [-180, -85, 180, 85];

function random(seed) {
    return () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

/** Half are spread over the world, half lie around ten towns. */
function scene(n) {
    const dice = random(3), towns = Array.from({ length: 10 }, () => [dice() * 300 - 150, dice() * 120 - 60]);
    return Array.from({ length: n }, (_, at) => {
        const [lng, lat] = towns[at % 10], far = () => (dice() + dice() + dice() - 1.5) * 2;
        const coordinates = at % 2 ? [dice() * 340 - 170, dice() * 150 - 75] : [lng + far(), lat + far()];
        return { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates } };
    });
}

function step(points, frame) {
    points.forEach(({ geometry: { coordinates } }, at) => {
        coordinates[0] += Math.sin(at + frame) * 0.01;
        coordinates[1] += Math.cos(at + frame) * 0.01;
    });
}

/** A screen of 1920 by 1080 pixels around a town. */
function view(points, zoom) {
    const [lng, lat] = points[0].geometry.coordinates, degrees = 360 / 512 / 2 ** zoom, tall = 540 * degrees * Math.cos(lat * Math.PI / 180);
    return zoom < 3 ? WORLD : [lng - 960 * degrees, Math.max(-85, lat - tall), lng + 960 * degrees, Math.min(85, lat + tall)];
}

function processorTime(work) {
    const before = process.cpuUsage();
    const answer = work();
    const { user, system } = process.cpuUsage(before);
    return [(user + system) / 1000, answer];
}

const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
const total = (features) => features.reduce((sum, { properties }) => sum + (properties.point_count ?? 1), 0);

for (const n of [10_000, 100_000]) {
    const points = scene(n), ours = new Ours().load(points);
    console.log(`${n} points: zoom, clusters in view of both, ms of quadrille; supercluster as a multiple: all zooms, one zoom`);
    for (const zoom of [2, 5, 8, 11, 14]) {
        const times = [[], [], []];
        let found = [];
        // The first frames warm up.
        for (let frame = -20; frame < frames; frame++) {
            step(points, frame);
            const box = view(points, zoom);
            const contenders = [
                () => [ours.moveAll(), ours.getClusters(box, zoom)],
                () => { const theirs = new Theirs().load(points); return [theirs, theirs.getClusters(box, zoom)]; },
                () => { const theirs = new Theirs({ minZoom: zoom, maxZoom: zoom }).load(points); return [theirs, theirs.getClusters(box, zoom)]; },
            ];
            found = contenders.map((work, which) => {
                const [time, [index, clusters]] = processorTime(work);
                if (frame >= 0) times[which].push(time);
                // At the end, as what a zoom has been asked for is remembered.
                if (frame === frames - 1 && total(index.getClusters([-180, -90, 180, 90], zoom)) !== n) throw new Error(`contender ${which} has lost points`);
                return clusters.length;
            });
        }
        const [own, all, one] = times.map(median);
        console.log(`${String(zoom).padStart(3)}  ${found.slice(0, 2).join(', ').padStart(14)}  ${own.toFixed(2).padStart(8)}  ${(all / own).toFixed(1).padStart(6)}  ${(one / own).toFixed(1).padStart(6)}`);
    }
    ours.free();
}
