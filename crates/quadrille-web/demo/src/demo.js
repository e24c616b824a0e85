// One frame after the other: move all, tell the engine, ask it, draw.
import { FlatbushEngine } from './engines/flatbush.js';
import { QuadrilleEngine } from './engines/quadrille.js';
import { RbushEngine } from './engines/rbush.js';
import { Input } from './input.js';
import { Painter } from './painter.js';
import { Scene } from './scene.js';
import { Times } from './times.js';
import { Zones } from './zones.js';

export const ENGINES = { quadrille: QuadrilleEngine, flatbush: FlatbushEngine, rbush: RbushEngine };
export const NEAREST = 14, TOUCH = 3;
/** A frame that took longer moves things as far as this many sixtieths of a second. */
const FRAMES_MAX = 3, CELLS_EVERY = 8;

export class Demo {
    constructor(canvas, count) {
        this.canvas = canvas;
        this.painter = new Painter(canvas);
        this.zones = new Zones();
        this.times = new Times();
        this.shows = { nearest: true, sparks: true, cells: false };
        this.isPaused = false;
        this.painter.resize();
        this.scene = new Scene(count, this.aspect);
        this.input = new Input(canvas, () => this.scene, { draw: (ring) => this.zones.add(ring), undo: () => this.zones.removeLast() });
        this.frames = 0;
    }

    get aspect() { return this.canvas.clientWidth / this.canvas.clientHeight; }

    /** Answers by another engine from now on. */
    use(name) {
        this.name = name;
        this.engine?.free();
        this.engine = new ENGINES[name](this.scene);
        this.zones.watch(this.engine, this.scene);
        this.contacts = this.engine.contacts(TOUCH);
        this.cells = undefined;
    }

    setCount(count) {
        this.scene = new Scene(count, this.aspect);
        this.times.clear();
        this.use(this.name);
    }

    resize() {
        this.painter.resize();
        this.zones.stretch(...this.scene.fit(this.aspect));
        this.use(this.name);
    }

    /** Before anybody has moved the pointer, it goes its own way. */
    get pointer() {
        const { width, height, time } = this.scene;
        return this.input.pointer ?? { x: width * (0.5 + 0.27 * Math.cos(time / 190)), y: height * (0.5 + 0.25 * Math.sin(time / 130)) };
    }

    frame(now) {
        const frames = Math.min((now - (this.last ?? now)) * 0.06, FRAMES_MAX);
        this.last = now;
        const clock = new Clock();
        if (!this.isPaused) {
            this.scene.step(frames, this.pointer);
            clock.part('simulate');
            this.engine.move();
            clock.part('index');
        }
        const answers = this.#ask();
        clock.part('ask');
        this.painter.paint(this.scene, this.zones, answers);
        clock.part('draw');
        if (!this.isPaused) this.times.add(this.name, clock.parts);
        this.frames++;
    }

    #ask() {
        const { engine, scene, shows, pointer, input: { drawing } } = this;
        if (!this.isPaused) {
            const met = [];
            engine.inStones((stone, id) => met.push(stone, id));
            for (let at = 0; at < met.length; at += 2) scene.bounce(met[at + 1], met[at]);
        }
        this.zones.poll();
        const nearest = shows.nearest ? [...engine.nearest(pointer.x, pointer.y, NEAREST)] : undefined;
        const cells = shows.cells ? this.#cellsNow() : undefined;
        // The last question, as a later one would overwrite the list.
        const begun = shows.sparks && !this.isPaused ? this.contacts.poll().begun : undefined;
        return { nearest, begun, cells, pointer, drawing };
    }

    /** Of some frames ago: listing them is for the eye, and no question of the comparison. */
    #cellsNow() {
        if (!this.cells || this.frames % CELLS_EVERY === 0) {
            const cells = this.engine.cells?.();
            this.cells = cells && { boxes: cells.boxes.slice(), depths: cells.depths.slice() };
        }
        return this.cells;
    }
}

class Clock {
    constructor() {
        this.parts = {};
        this.last = performance.now();
    }

    part(name) {
        const now = performance.now();
        this.parts[name] = now - this.last;
        this.last = now;
    }
}
