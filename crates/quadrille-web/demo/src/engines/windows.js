// Watches and contacts made of windows, for an index that answers nothing but `search` and `nearest`.

/** Whether a ring has a point inside, by crossings of a ray. */
export function isInside(ring, x, y) {
    let inside = false;
    for (let at = 0, before = ring.length - 2; at < ring.length; before = at, at += 2) {
        const y0 = ring[before + 1], y1 = ring[at + 1];
        if (y0 > y !== y1 > y && x < ring[at] + (ring[before] - ring[at]) * (y - y1) / (y0 - y1)) inside = !inside;
    }
    return inside;
}

function boundsOf(ring) {
    const bounds = [Infinity, Infinity, -Infinity, -Infinity];
    ring.forEach((number, at) => {
        bounds[at & 1] = Math.min(bounds[at & 1], number);
        bounds[2 + (at & 1)] = Math.max(bounds[2 + (at & 1)], number);
    });
    return bounds;
}

/** The answer of last time. */
class Known {
    #keys = new Set();

    /** Those that came, and those that are gone. */
    update(list) {
        const before = this.#keys, now = new Set(list);
        this.#keys = now;
        return [list.filter((key) => !before.has(key)), [...before].filter((key) => !now.has(key))];
    }
}

export class WindowEngine {
    constructor(scene) { this.scene = scene; }

    inStones(call) {
        const { stones } = this.scene;
        for (let at = 0; at < stones.length; at += 4) {
            for (const id of this.search(stones[at], stones[at + 1], stones[at + 2], stones[at + 3])) call(at >> 2, id);
        }
    }

    watch(ring) {
        const { places } = this.scene, bounds = boundsOf(ring), known = new Known();
        const poll = () => {
            const inside = this.search(...bounds).filter((id) => isInside(ring, places[2 * id], places[2 * id + 1]));
            const [entered, left] = known.update(inside);
            return { entered, left };
        };
        return { poll, free() {} };
    }

    contacts(within) {
        const known = new Known();
        const poll = () => {
            const pairs = (keys) => keys.flatMap((key) => [Math.floor(key / 2 ** 24), key % 2 ** 24]);
            const [begun, ended] = known.update(this.#touching(within)).map(pairs);
            return { begun, ended };
        };
        return { poll, free() {} };
    }

    /** A number for each pair of a comet and one of the swarm. */
    #touching(within) {
        const { places, comets, count } = this.scene, keys = [];
        for (let comet = comets; comet < count; comet++) {
            const x = places[2 * comet], y = places[2 * comet + 1];
            for (const id of this.search(x - within, y - within, x + within, y + within)) {
                if (id < comets && (places[2 * id] - x) ** 2 + (places[2 * id + 1] - y) ** 2 <= within * within) keys.push(comet * 2 ** 24 + id);
            }
        }
        return keys;
    }

    free() {}
}
