// All that moves, and the stones that it meets. Ids are places in the arrays: the swarm first, then the comets.
import { Flow } from './flow.js';

/** The area of a scene, in units, so that a phone's screen holds as much as a desk's. */
const AREA = 1_600_000;
const STONES = 14, COMETS = 140;
/** A part of the swarm follows the wind closely; the rest, which is heavier, and the comets overshoot. */
const LIGHT = 0.6, FOLLOW_LIGHT = 0.16, FOLLOW_HEAVY = 0.035, FOLLOW_COMET = 0.02;

function mulberry(seed) {
    return () => {
        seed = (seed + 0x6d2b79f5) | 0;
        let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
}

export class Scene {
    constructor(count, aspect, seed = 7) {
        const random = mulberry(seed);
        this.width = Math.round(Math.sqrt(AREA * aspect));
        this.height = Math.round(Math.sqrt(AREA / aspect));
        this.count = count;
        this.comets = count - Math.min(COMETS, count >> 3);
        this.heavy = Math.floor(this.comets * LIGHT);
        this.time = 0;
        this.flow = new Flow(this.width, this.height);
        this.places = Float32Array.from({ length: 2 * count }, (_, at) => random() * (at & 1 ? this.height : this.width));
        this.velocities = new Float32Array(2 * count);
        // A will of its own, so that not all end on one line.
        this.drift = Float32Array.from({ length: 2 * count }, (_, at) => (random() - 0.5) * (at < 2 * this.comets ? 0.5 : 3));
        this.stones = this.#layStones(random);
    }

    #layStones(random) {
        const stones = [];
        for (let tries = 0; stones.length < STONES && tries < 1000; tries++) {
            const w = 24 + 70 * random() ** 2, h = 24 + 70 * random() ** 2;
            const x = random() * (this.width - w - 80) + 40, y = random() * (this.height - h - 80) + 40;
            const isFree = stones.every(([a, b, c, d]) => x > c + 60 || x + w < a - 60 || y > d + 60 || y + h < b - 60);
            if (isFree) stones.push([x, y, x + w, y + h]);
        }
        return Float32Array.from(stones.flat());
    }

    /** Stretches everything to another shape of the screen. */
    fit(aspect) {
        const { width, height } = this;
        this.width = Math.round(Math.sqrt(AREA * aspect));
        this.height = Math.round(Math.sqrt(AREA / aspect));
        this.flow = new Flow(this.width, this.height);
        const across = this.width / width, down = this.height / height;
        for (const list of [this.places, this.stones]) list.forEach((number, at) => { list[at] = number * (at & 1 ? down : across); });
        return [across, down];
    }

    /** Moves everything by a number of sixtieths of a second. */
    step(frames, pointer) {
        this.time += frames;
        this.flow.update(this.time, pointer);
        this.#carry(0, this.heavy, frames, FOLLOW_LIGHT);
        this.#carry(this.heavy, this.comets, frames, FOLLOW_HEAVY);
        this.#carry(this.comets, this.count, frames, FOLLOW_COMET);
    }

    #carry(from, to, frames, follow) {
        const { places, velocities, drift, width, height, flow: { field, columns, cell } } = this;
        const part = 1 - (1 - follow) ** frames, scale = 1 / cell;
        for (let at = 2 * from; at < 2 * to; at += 2) {
            let x = places[at], y = places[at + 1];
            const wind = 2 * (((y * scale) | 0) * columns + ((x * scale) | 0));
            const u = velocities[at] += (field[wind] + drift[at] - velocities[at]) * part;
            const v = velocities[at + 1] += (field[wind + 1] + drift[at + 1] - velocities[at + 1]) * part;
            x += u * frames;
            y += v * frames;
            places[at] = x < 0 ? x + width : x >= width ? x - width : x;
            places[at + 1] = y < 0 ? y + height : y >= height ? y - height : y;
        }
    }

    /** Throws one that is in a stone out of it, by the nearest side. */
    bounce(id, stone) {
        const { places, velocities, stones } = this, x = places[2 * id], y = places[2 * id + 1];
        const left = x - stones[4 * stone], right = stones[4 * stone + 2] - x, up = y - stones[4 * stone + 1], down = stones[4 * stone + 3] - y;
        const least = Math.min(left, right, up, down), axis = least === left || least === right ? 0 : 1;
        const outwards = least === left || least === up ? -1 : 1;
        places[2 * id + axis] += outwards * (least + 0.1);
        velocities[2 * id + axis] = outwards * Math.abs(velocities[2 * id + axis]) * 0.6;
    }
}
