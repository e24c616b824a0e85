// Embers that fly off where a contact begins, and go out.

const SPARKS_MAX = 4096, LIFE = 34, DRAG = 0.95, THROW = 2.2;

export class Sparks {
    constructor() {
        /** The newest take the places of the oldest. */
        this.places = new Float32Array(2 * SPARKS_MAX);
        this.velocities = new Float32Array(2 * SPARKS_MAX);
        /** Frames that are left, as a part of all. */
        this.left = new Float32Array(SPARKS_MAX);
        this.next = 0;
    }

    add(x, y, u, v) {
        const at = this.next++ % SPARKS_MAX, angle = 2 * Math.PI * Math.random(), speed = THROW * Math.random();
        this.places.set([x, y], 2 * at);
        this.velocities.set([u + speed * Math.cos(angle), v + speed * Math.sin(angle)], 2 * at);
        this.left[at] = 0.5 + 0.5 * Math.random();
    }

    step(frames) {
        const { places, velocities, left } = this, drag = DRAG ** frames;
        for (let at = 0; at < SPARKS_MAX; at++) {
            if (left[at] === 0) continue;
            left[at] = Math.max(0, left[at] - frames / LIFE);
            for (const axis of [2 * at, 2 * at + 1]) places[axis] += (velocities[axis] *= drag) * frames;
        }
    }
}
