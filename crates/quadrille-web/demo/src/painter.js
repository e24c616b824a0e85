// Draws a scene. Things are added to a buffer of light, one pixel each, by this code: where there is no graphics card, that takes a
// fraction of the time of WebGL's points, and the light that is left from earlier frames makes trails. Lines and text are the canvas's.

/** Pixels of the canvas, at most: sharper screens show each as several of theirs. */
const PIXELS_MAX = 1_600_000, SHARPNESS_MAX = 2;
const BACKGROUND = 0xff120a07;
/** Light of red, green and blue, each 0 to 127: the eighth bit says that a sum is too much. */
const light = (red, green, blue) => blue << 16 | green << 8 | red;
const LIGHT = light(5, 18, 30), HEAVY = light(26, 9, 24), COMET = light(110, 84, 52), SPARK = light(127, 118, 90);
/** Pixels of a spark, as steps from its middle. */
const STAR = [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1], [2, 0], [-2, 0], [0, 2], [0, -2], [3, 0], [-3, 0], [0, 3], [0, -3]];

/** A sum in which each colour stops at the most. */
function brighter(a, b) {
    const sum = a + b, over = sum & 0x808080;
    return (sum & 0x7f7f7f) | (over - (over >>> 7));
}

/** The light of a hue, as bright as 127 * `strength`. */
function lightOf(hue, strength) {
    const part = (turn) => Math.round(127 * strength * Math.min(1, Math.max(0.12, Math.abs(((hue / 60 + turn) % 6) - 3) - 1)));
    return light(part(0), part(4), part(2));
}

export class Painter {
    constructor(canvas) {
        this.canvas = canvas;
        this.context = canvas.getContext('2d', { alpha: false });
        this.trails = 7;
    }

    /** Fits the canvas to its place in the page. */
    resize() {
        const { clientWidth, clientHeight } = this.canvas;
        const sharp = Math.min(SHARPNESS_MAX, devicePixelRatio, Math.sqrt(PIXELS_MAX / (clientWidth * clientHeight)));
        this.width = this.canvas.width = Math.max(1, Math.round(clientWidth * sharp));
        this.height = this.canvas.height = Math.max(1, Math.round(clientHeight * sharp));
        this.sharp = sharp;
        this.image = this.context.createImageData(this.width, this.height);
        this.pixels = new Uint32Array(this.image.data.buffer);
        // Some more, as a star at the edge reaches beyond.
        this.margin = 4 * this.width;
        this.light = new Uint32Array(this.pixels.length + 2 * this.margin);
    }

    paint(scene, zones, { nearest, begun, cells, drawing, pointer }) {
        this.scaleX = this.width / scene.width;
        this.scaleY = this.height / scene.height;
        this.#addPoints(scene, zones);
        if (begun) this.#addSparks(scene, begun);
        this.#expose();
        if (cells) this.#drawCells(cells);
        this.context.putImageData(this.image, 0, 0);
        this.#drawStones(scene);
        zones.list.forEach((zone) => this.#drawZone(zone));
        drawing.forEach((ring) => this.#drawRing(ring));
        if (nearest) this.#drawNearest(scene, nearest, pointer);
    }

    #place(places, id) { return this.margin + ((places[2 * id + 1] * this.scaleY) | 0) * this.width + ((places[2 * id] * this.scaleX) | 0); }

    #addPoints({ places, heavy, comets, count }, { lit, list }) {
        const colours = [];
        for (const zone of list) colours[zone.slot] = lightOf(zone.hue, 0.62);
        const { light } = this;
        for (let id = 0; id < count; id++) {
            const at = this.#place(places, id), bits = lit[id];
            light[at] = brighter(light[at], bits ? colours[31 - Math.clz32(bits & -bits)] : id < heavy ? LIGHT : HEAVY);
        }
        for (let id = comets; id < count; id++) {
            const at = this.#place(places, id);
            for (const near of [at, at + 1, at + this.width, at + this.width + 1]) light[near] = brighter(light[near], COMET);
        }
    }

    /** At the second of each pair. */
    #addSparks({ places }, begun) {
        const { light, width } = this;
        for (let pair = 0; pair < begun.length; pair += 2) {
            const middle = this.#place(places, begun[pair + 1]);
            for (const [x, y] of STAR) light[middle + y * width + x] = brighter(light[middle + y * width + x], SPARK);
        }
    }

    /** Shows the light, and lets an eighth of it fade. */
    #expose() {
        const { light, pixels, margin, trails } = this;
        for (let at = 0; at < pixels.length; at++) {
            const value = light[at + margin];
            pixels[at] = BACKGROUND | value << 1;
            light[at + margin] = ((value >>> 3) & 0x0f0f0f) * trails + (((value & 0x070707) * trails) >>> 3 & 0x070707);
        }
    }

    /** The left and upper edges of boxes, where it is dark. */
    #drawCells({ boxes, depths }) {
        const { pixels, width, height, scaleX, scaleY } = this;
        const fit = (at, scale, size) => Math.min(Math.max(Math.floor(at * scale), 0), size - 1);
        const edge = BACKGROUND + 0x262018;
        for (let cell = 0; cell < depths.length; cell++) {
            const left = fit(boxes[4 * cell], scaleX, width), right = fit(boxes[4 * cell + 2], scaleX, width);
            const top = fit(boxes[4 * cell + 1], scaleY, height), bottom = fit(boxes[4 * cell + 3], scaleY, height);
            for (let at = top * width + left; at <= top * width + right; at++) pixels[at] |= edge;
            for (let at = top * width + left; at <= bottom * width + left; at += width) pixels[at] |= edge;
        }
    }

    #drawStones({ stones }) {
        const { context, scaleX, scaleY } = this;
        context.fillStyle = '#1b2433';
        context.strokeStyle = '#3b4a63';
        context.lineWidth = this.sharp;
        context.beginPath();
        for (let at = 0; at < stones.length; at += 4) {
            const x = stones[at] * scaleX, y = stones[at + 1] * scaleY;
            context.roundRect(x, y, stones[at + 2] * scaleX - x, stones[at + 3] * scaleY - y, 4 * this.sharp);
        }
        context.fill();
        context.stroke();
    }

    #trace(ring) {
        this.context.beginPath();
        for (let at = 0; at < ring.length; at += 2) this.context.lineTo(ring[at] * this.scaleX, ring[at + 1] * this.scaleY);
    }

    #drawZone({ ring, hue, glow, inside }) {
        const { context, sharp } = this;
        this.#trace(ring);
        context.closePath();
        context.fillStyle = `hsl(${hue} 90% 60% / ${0.04 + 0.2 * glow})`;
        context.fill('evenodd');
        context.strokeStyle = `hsl(${hue} 95% ${58 + 30 * glow}% / ${0.55 + 0.45 * glow})`;
        context.lineWidth = (1.25 + 1.5 * glow) * sharp;
        context.stroke();
        const [x, y] = topOf(ring);
        context.font = `600 ${13 * sharp}px "Inter Variable", sans-serif`;
        context.textAlign = 'center';
        context.fillStyle = `hsl(${hue} 95% 82%)`;
        context.fillText(inside.toLocaleString('en'), x * this.scaleX, Math.max(16 * sharp, y * this.scaleY - 8 * sharp));
    }

    #drawRing(ring) {
        this.#trace(ring);
        this.context.strokeStyle = '#fffc';
        this.context.lineWidth = 1.5 * this.sharp;
        this.context.setLineDash([6 * this.sharp, 5 * this.sharp]);
        this.context.stroke();
        this.context.setLineDash([]);
    }

    #drawNearest({ places }, nearest, pointer) {
        const { context, scaleX, scaleY, sharp } = this;
        context.beginPath();
        for (const id of nearest) {
            context.moveTo(pointer.x * scaleX, pointer.y * scaleY);
            context.lineTo(places[2 * id] * scaleX, places[2 * id + 1] * scaleY);
        }
        context.strokeStyle = '#ffffffa0';
        context.lineWidth = sharp;
        context.stroke();
        context.beginPath();
        for (const id of nearest) {
            const x = places[2 * id] * scaleX, y = places[2 * id + 1] * scaleY;
            context.moveTo(x + 3 * sharp, y);
            context.arc(x, y, 3 * sharp, 0, 7);
        }
        context.fillStyle = '#fff';
        context.fill();
    }
}

/** The highest corner: above it there is room for a number. */
function topOf(ring) {
    let top = 0;
    for (let at = 0; at < ring.length; at += 2) if (ring[at + 1] < ring[top + 1]) top = at;
    return [ring[top], ring[top + 1]];
}
