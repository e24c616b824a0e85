// Mouse, fingers and keys on the canvas: where the pointer is, and the rings that are being drawn, one for each finger.

/** In pixels of the page. */
const STEP = 5, RING_MIN = 24, KEY_STEP = 24, KEY_RADIUS = 70;

export class Input {
    constructor(canvas, scene, { draw, undo }) {
        this.canvas = canvas;
        /** Gives the scene of the moment. */
        this.scene = scene;
        this.draw = draw;
        this.undo = undo;
        /** Where the pointer is, in the scene; `undefined` until somebody moves it. */
        this.pointer = undefined;
        this.rings = new Map();
        canvas.addEventListener('pointerdown', (event) => this.#down(event));
        canvas.addEventListener('pointermove', (event) => this.#move(event));
        canvas.addEventListener('pointerup', (event) => this.#up(event));
        canvas.addEventListener('pointercancel', ({ pointerId }) => this.rings.delete(pointerId));
        canvas.addEventListener('keydown', (event) => this.#key(event));
    }

    get drawing() { return [...this.rings.values()]; }

    /** Units of the scene a pixel of the page. */
    get unit() { return this.scene().width / this.canvas.clientWidth; }

    #at({ offsetX, offsetY }) {
        const { width, height } = this.scene(), { clientWidth, clientHeight } = this.canvas;
        const fit = (part, size) => Math.min(Math.max(part, 0), 1) * size;
        return { x: fit(offsetX / clientWidth, width), y: fit(offsetY / clientHeight, height) };
    }

    #down(event) {
        if (event.button !== 0) return;
        this.canvas.setPointerCapture(event.pointerId);
        const { x, y } = this.pointer = this.#at(event);
        this.rings.set(event.pointerId, [x, y]);
    }

    #move(event) {
        const { x, y } = this.pointer = this.#at(event), ring = this.rings.get(event.pointerId);
        if (ring && Math.hypot(x - ring.at(-2), y - ring.at(-1)) >= STEP * this.unit) ring.push(x, y);
    }

    #up({ pointerId }) {
        const ring = this.rings.get(pointerId);
        this.rings.delete(pointerId);
        if (ring && sizeOf(ring) >= RING_MIN * this.unit) this.draw(ring);
    }

    #key(event) {
        const { width, height } = this.scene(), { x, y } = this.pointer ?? { x: width / 2, y: height / 2 }, step = KEY_STEP * this.unit;
        const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
        if (moves[event.key]) {
            const [dx, dy] = moves[event.key];
            this.pointer = { x: Math.min(Math.max(x + dx, 0), width), y: Math.min(Math.max(y + dy, 0), height) };
        } else if (event.key === 'Enter') {
            this.draw(hexagon(x, y, KEY_RADIUS * this.unit));
        } else if (event.key === 'Backspace' || event.key === 'Delete') {
            this.undo();
        } else {
            return;
        }
        event.preventDefault();
    }
}

/** The longer side of the bounds, or 0 if it is no more than a line. */
function sizeOf(ring) {
    const [x, y] = [0, 1].map((axis) => ring.filter((_, at) => (at & 1) === axis));
    const extent = (list) => Math.max(...list) - Math.min(...list);
    return ring.length < 6 ? 0 : Math.max(extent(x), extent(y));
}

export function hexagon(x, y, radius) {
    return Array.from({ length: 6 }, (_, at) => at * Math.PI / 3).flatMap((angle) => [x + radius * Math.cos(angle), y + radius * Math.sin(angle)]);
}
