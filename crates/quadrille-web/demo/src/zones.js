// The shapes that were drawn, and who is in them.

/** As many as a number in `lit` has bits. */
export const ZONES_MAX = 16;
const HUES = [44, 168, 330, 205, 95, 12, 280, 140];
/** Of the glow, in each frame. */
const FADE = 0.94;

export class Zones {
    constructor(isCalm) {
        this.isCalm = isCalm;
        this.list = [];
        this.drawn = 0;
    }

    /** Starts anew with an engine: a bit for each zone that something is in. */
    watch(engine, scene) {
        this.engine = engine;
        this.comets = scene.comets;
        this.lit = new Uint16Array(scene.count);
        for (const zone of this.list) this.#begin(zone);
    }

    #begin(zone) {
        zone.watch = this.engine.watch(zone.ring);
        zone.inside = 0;
        // Who is there already has not entered.
        this.#update(zone);
    }

    /** Asks who has entered and left since the last time: how many came, and whether a comet did. */
    #update(zone) {
        const { entered, left } = zone.watch.poll(), bit = 1 << zone.slot;
        zone.inside += entered.length - left.length;
        zone.left += left.length;
        let isVisited = false;
        for (const id of left) this.lit[id] &= ~bit;
        for (const id of entered) {
            this.lit[id] |= bit;
            isVisited ||= id >= this.comets;
        }
        return { came: entered.length, isVisited };
    }

    /** Adds a ring of corners: x, y, x, y, … The oldest makes room for it. */
    add(ring) {
        if (this.list.length === ZONES_MAX) this.remove(this.list[0]);
        const taken = new Set(this.list.map((zone) => zone.slot));
        const slot = Array.from({ length: ZONES_MAX }, (_, at) => at).find((at) => !taken.has(at));
        const zone = { ring: Float32Array.from(ring), slot, hue: HUES[this.drawn++ % HUES.length], glow: 0, entered: 0, left: 0 };
        this.list.push(zone);
        this.#begin(zone);
        return zone;
    }

    remove(zone) {
        zone.watch.free();
        this.list = this.list.filter((other) => other !== zone);
        this.lit.forEach((bits, id) => { if (bits) this.lit[id] = bits & ~(1 << zone.slot); });
    }

    stretch(across, down) {
        for (const { ring } of this.list) ring.forEach((number, at) => { ring[at] = number * (at & 1 ? down : across); });
    }

    removeLast() { if (this.list.length) this.remove(this.list.at(-1)); }

    clear() { while (this.list.length) this.removeLast(); }

    /** In each frame. */
    poll() {
        for (const zone of this.list) {
            const { came, isVisited } = this.#update(zone);
            zone.entered += came;
            // A comet is an event; the swarm comes and goes all the time.
            const glow = isVisited && !this.isCalm ? 1 : came ? 0.3 : 0;
            zone.glow = Math.max(zone.glow * FADE, glow);
        }
    }
}
