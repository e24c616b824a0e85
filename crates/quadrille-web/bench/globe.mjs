// Longitude and latitude: the nearest over the globe, of points that stand still and of points that all move.
import { init } from 'quadrille/3d';
import { around } from 'geokdbush';
import KDBush from 'kdbush';
import { mix } from './scene.mjs';

const RADIANS = Math.PI / 180, STEP = 0.01;
const quadrille = await init();

/** Degrees, spread evenly over the globe. */
export class Globe {
    #seed = 5;

    constructor({ n }) {
        this.n = n;
        this.degrees = this.places(n);
        this.steps = Float64Array.from({ length: 2 * n }, () => (2 * this.#random() - 1) * STEP);
    }

    #random() { return (this.#seed = (Math.imul(this.#seed, 1664525) + 1013904223) >>> 0) / 2 ** 32; }

    places(count) {
        const place = () => [360 * this.#random() - 180, Math.asin(2 * this.#random() - 1) / RADIANS];
        return Float64Array.from(Array.from({ length: count }, place).flat());
    }

    /** Questions after changes are those for the nearest, too. */
    windows(count) { return this.places(count); }

    fly() {
        const { degrees, steps } = this;
        for (let at = 0; at < degrees.length; at++) {
            if (Math.abs(degrees[at] + steps[at]) > (at % 2 ? 90 : 180)) steps[at] = -steps[at];
            degrees[at] += steps[at];
        }
    }
}

class Ours {
    static title = 'quadrille/3d';

    constructor(scene) {
        this.scene = scene;
        this.world = quadrille.world(-1, -1, -1, 1, 1, 1);
        this.world.insertPoints(this.world.addPointLayer(), 0, this.#onSphere(scene.degrees));
    }

    #onSphere(degrees) {
        const places = new Float64Array(degrees.length * 1.5);
        for (let from = 0, to = 0; from < degrees.length; from += 2, to += 3) {
            const longitude = degrees[from] * RADIANS, latitude = degrees[from + 1] * RADIANS, reach = Math.cos(latitude);
            places[to] = reach * Math.cos(longitude);
            places[to + 1] = reach * Math.sin(longitude);
            places[to + 2] = Math.sin(latitude);
        }
        return places;
    }

    moveAll() { this.world.movePoints(0, this.#onSphere(this.scene.degrees)); }

    windows(list) {
        const places = this.#onSphere(list);
        let total = 0;
        for (let at = 0; at < places.length; at += 3) total = mix(total, sum(this.world.nearest(places[at], places[at + 1], places[at + 2], { k: 10 }).ids));
        return total;
    }

    free() { this.world.free(); }
}

/** Of nodes of 8 to 256 the best; built anew where something has moved. */
class Geokdbush {
    static title = 'geokdbush';

    constructor(scene) {
        this.scene = scene;
        this.build(32);
    }

    build(nodeSize) {
        const { degrees, n } = this.scene;
        this.index = new KDBush(n, nodeSize);
        for (let at = 0; at < 2 * n; at += 2) this.index.add(degrees[at], degrees[at + 1]);
        this.index.finish();
    }

    moveAll() { this.build(64); }

    windows(list) {
        let total = 0;
        for (let at = 0; at < list.length; at += 2) total = mix(total, sum(around(this.index, list[at], list[at + 1], 10)));
        return total;
    }
}

function sum(ids) {
    let sum = 0;
    for (let at = 0; at < ids.length; at++) sum += ids[at];
    return sum;
}

const nearest = (name, count, changes) => ({
    name,
    changes,
    prepare: (scene, part) => {
        if (changes) scene.fly();
        return scene.places(part(count));
    },
    run: (contender, asked) => {
        if (changes) contender.moveAll();
        return contender.windows(asked);
    },
});

export const GLOBE = {
    Scene: Globe,
    spreads: [['points', 'globe']],
    contenders: [Ours, Geokdbush],
    workloads: [nearest('nearest 10', 2000, false), nearest('all move, 1000 nearest 10', 1000, true)],
};
