// How long the parts of the last frames took, for each engine.

export const PARTS = ['simulate', 'index', 'ask', 'draw'];
const FRAMES = 60;

export function median(list) {
    return list.length ? [...list].sort((a, b) => a - b)[list.length >> 1] : undefined;
}

export class Times {
    #of = new Map();

    /** Forgets all: another number of things moves. */
    clear() { this.#of.clear(); }

    add(engine, parts) {
        if (!this.#of.has(engine)) this.#of.set(engine, []);
        const frames = this.#of.get(engine);
        frames.push(parts);
        if (frames.length > FRAMES) frames.shift();
    }

    /** The middle of each part, in milliseconds; `undefined` if the engine has not run. */
    medians(engine) {
        const frames = this.#of.get(engine);
        return frames && Object.fromEntries(PARTS.map((part) => [part, median(frames.map((frame) => frame[part]))]));
    }
}
