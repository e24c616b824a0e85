// Draws a scene. Things are added to a buffer of light, one pixel each, by this code: where there is no graphics card, that takes a
// fraction of the time of WebGL's points, and the light that is left from earlier frames makes trails. Lines and text are the canvas's.
import { ZONES_MAX } from './zones.js';

/** Pixels of the canvas, at most: sharper screens show each as several of theirs. */
const PIXELS_MAX = 1_600_000, SHARPNESS_MAX = 2;
/** So few points that each has four pixels. */
const FEW = 20_000;
const BACKGROUND = 0xff120a07 | 0;
/** Light of red, green and blue, each 0 to 127: the eighth bit says that a sum is too much. */
const light = (red, green, blue) => blue << 16 | green << 8 | red;
const LIGHT = light(5, 18, 30), HEAVY = light(26, 9, 24), COMET = light(120, 96, 60);

/** A sum in which each color stops at the most. */
function brighter(a, b) {
    const sum = (a + b) | 0, over = sum & 0x808080;
    return (sum & 0x7f7f7f) | (over - (over >>> 7));
}

/** Of cells, by their depth: where there are more, they are smaller and brighter. */
const EDGES = Int32Array.of(0xff4a3010, 0xff583a14, 0xff6a4a1a, 0xff806024, 0xff9a7830);
/** Of embers, from the last glimmer to white. */
const EMBERS = [light(28, 6, 2), light(64, 18, 4), light(100, 40, 8), light(124, 76, 24), light(127, 112, 72)];

/** The light of a hue, as bright as 127 * `strength`. */
function lightOf(hue, strength) {
    const part = (turn) => Math.round(127 * strength * Math.min(1, Math.max(0.12, Math.abs(((hue / 60 + turn) % 6) - 3) - 1)));
    return light(part(0), part(4), part(2));
}

/**
 * Adds a pixel for each point, or four if they are few; shows the light, twice as bright or as it is; lets an eighth of it fade. Both
 * loops are in one function, since V8 would put a smaller one into its caller, and there it takes five times as long.
 */
function shine({ light, pixels, width, scaleX, scaleY }, { places, heavy, count }, { lit, list }, doublings) {
    const colors = new Int32Array(ZONES_MAX), areFew = count <= FEW;
    for (const zone of list) colors[zone.slot] = lightOf(zone.hue, 0.62);
    for (let id = 0; id < count; id++) {
        const at = ((places[2 * id + 1] * scaleY) | 0) * width + ((places[2 * id] * scaleX) | 0), bits = lit[id];
        const color = bits ? colors[31 - Math.clz32(bits & -bits)] : id < heavy ? LIGHT : HEAVY;
        light[at] = brighter(light[at], color);
        if (areFew) {
            light[at + 1] = brighter(light[at + 1], color);
            light[at + width] = brighter(light[at + width], color);
            light[at + width + 1] = brighter(light[at + width + 1], color);
        }
    }
    for (let at = 0, end = pixels.length; at < end; at++) {
        const value = light[at];
        pixels[at] = BACKGROUND | value << doublings;
        light[at] = value - ((value + 0x070707 >> 3) & 0x1f1f1f);
    }
}

export class Painter {
    constructor(canvas) {
        this.canvas = canvas;
        this.context = canvas.getContext('2d', { alpha: false });
    }

    /** Fits the canvas to its place in the page. */
    resize() {
        const { clientWidth, clientHeight } = this.canvas;
        const sharp = Math.min(SHARPNESS_MAX, devicePixelRatio, Math.sqrt(PIXELS_MAX / (clientWidth * clientHeight)));
        this.width = this.canvas.width = Math.max(1, Math.round(clientWidth * sharp));
        this.height = this.canvas.height = Math.max(1, Math.round(clientHeight * sharp));
        this.sharp = sharp;
        this.image = this.context.createImageData(this.width, this.height);
        // Signed, since browsers calculate with such numbers fastest.
        this.pixels = new Int32Array(this.image.data.buffer);
        // Two rows more, as what is as large as two pixels may reach beyond the last one.
        this.light = new Int32Array(this.pixels.length + 2 * this.width);
    }

    paint(scene, zones, sparks, { nearest, cells, drawing, pointer }) {
        this.scaleX = this.width / scene.width;
        this.scaleY = this.height / scene.height;
        for (let id = scene.comets; id < scene.count; id++) this.#addLarge(this.#place(scene.places, id), COMET);
        this.#addSparks(sparks);
        shine(this, scene, zones, cells ? 0 : 1);
        if (cells) this.#drawCells(cells);
        this.context.putImageData(this.image, 0, 0);
        this.#drawStones(scene);
        if (nearest) this.#drawNearest(scene, nearest, pointer);
        zones.list.forEach((zone) => this.#drawZone(zone));
        drawing.forEach((ring) => this.#drawRing(ring));
    }

    #place(places, id) { return ((places[2 * id + 1] * this.scaleY) | 0) * this.width + ((places[2 * id] * this.scaleX) | 0); }

    #addLarge(at, color) {
        const { light, width } = this;
        for (const near of [at, at + 1, at + width, at + width + 1]) light[near] = brighter(light[near], color);
    }

    #addSparks({ places, left }) {
        left.forEach((part, id) => {
            const at = this.#place(places, id);
            if (part > 0 && at >= 0) this.#addLarge(at, EMBERS[(part * (EMBERS.length - 0.01)) | 0]);
        });
    }

    /** The left and upper edges of boxes, where it is dark. */
    #drawCells({ boxes, depths }) {
        const { pixels, width, height, scaleX, scaleY } = this;
        const fit = (at, scale, size) => Math.min(Math.max(Math.floor(at * scale), 0), size - 1);
        for (let cell = 0; cell < depths.length; cell++) {
            const edge = EDGES[Math.min(depths[cell], EDGES.length - 1)];
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

    #drawZone({ ring, hue, glow, inside, entered, left }) {
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
        context.lineJoin = 'round';
        const label = [[inside, 'in'], [entered, 'came'], [left, 'left']].map(([count, word]) => `${count.toLocaleString('en')} ${word}`).join(', ');
        const half = context.measureText(label).width / 2 + 6 * sharp;
        const middle = Math.min(Math.max(x * this.scaleX, half), this.width - half);
        const above = Math.max(18 * sharp, y * this.scaleY - 8 * sharp);
        context.strokeStyle = '#070a12';
        context.lineWidth = 4 * sharp;
        context.strokeText(label, middle, above);
        context.fillStyle = `hsl(${hue} 95% 82%)`;
        context.fillText(label, middle, above);
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
        context.strokeStyle = '#ffffff70';
        context.lineWidth = 0.8 * sharp;
        context.stroke();
        context.beginPath();
        for (const id of nearest) {
            const x = places[2 * id] * scaleX, y = places[2 * id + 1] * scaleY;
            context.rect(x - 0.7 * sharp, y - 0.7 * sharp, 1.4 * sharp, 1.4 * sharp);
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
