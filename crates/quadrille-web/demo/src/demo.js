// One frame after the other: move all, tell the engine, ask it, draw.
import { FlatbushEngine } from './engines/flatbush.js';
import { QuadrilleEngine } from './engines/quadrille.js';
import { RbushEngine } from './engines/rbush.js';
import { ScanEngine } from './engines/scan.js';
import { Input } from './input.js';
import { Painter } from './painter.js';
import { Scene } from './scene.js';
import { Sparks } from './sparks.js';
import { Times } from './times.js';
import { Zones } from './zones.js';

export const ENGINES = { quadrille: QuadrilleEngine, flatbush: FlatbushEngine, rbush: RbushEngine, scan: ScanEngine };
export const NEAREST = 60, TOUCH = 2.5;
/** A frame that took longer moves things as far as this many sixtieths of a second. */
const FRAMES_MAX = 3, CELLS_EVERY = 8;

export class Demo {
    /** `isCalm`: without flashes and sparks. */
    constructor(canvas, count, isCalm) {
        this.canvas = canvas;
        this.painter = new Painter(canvas);
        this.zones = new Zones(isCalm);
        this.sparks = new Sparks();
        this.times = new Times();
        this.shows = { nearest: true, sparks: !isCalm, cells: false };
        this.isPaused = false;
        this.painter.resize();
        this.scene = new Scene(count, this.aspect);
        this.input = new Input(canvas, () => this.scene, {
            draw: (ring) => { this.zones.add(ring); this.hasDrawn = true; },
            undo: () => this.zones.removeLast(),
        });
        this.hasDrawn = false;
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
        /** Who is in which stone: thrown out in the next step, so that all answers are about the same places. */
        this.met = [];
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
        return this.input.pointer ?? { x: width * (0.43 + 0.26 * Math.cos(time / 190)), y: height * (0.5 + 0.25 * Math.sin(time / 130)) };
    }

    frame(now) {
        const frames = Math.min((now - (this.last ?? now)) * 0.06, FRAMES_MAX);
        this.last = now;
        const clock = new Clock();
        if (!this.isPaused) {
            for (const [id, stone] of this.met) this.scene.bounce(id, stone);
            this.met = [];
            this.scene.step(frames, this.pointer);
            this.sparks.step(frames);
            clock.part('simulate');
            this.engine.move();
            clock.part('index');
        }
        const answers = this.#ask();
        clock.part('ask');
        this.painter.paint(this.scene, this.zones, this.sparks, answers);
        clock.part('draw');
        if (!this.isPaused) this.times.add(this.name, clock.parts);
        this.frames++;
    }

    #ask() {
        const { engine, shows, pointer, input: { drawing } } = this;
        if (!this.isPaused) engine.inStones((stone, id) => this.met.push([id, stone]));
        this.zones.poll();
        const nearest = shows.nearest ? engine.nearest(pointer.x, pointer.y, NEAREST) : undefined;
        const cells = shows.cells ? this.#cellsNow() : undefined;
        if (shows.sparks && !this.isPaused) this.#spark(this.contacts.poll().begun);
        return { nearest, cells, pointer, drawing };
    }

    /** At the first of each pair. */
    #spark(begun) {
        const { places, velocities } = this.scene;
        for (let at = 0; at < begun.length; at += 2) {
            const id = 2 * begun[at];
            this.sparks.add(places[id], places[id + 1], velocities[id], velocities[id + 1]);
        }
    }

    /** Of some frames ago: listing them is for the eye, and no question of the comparison. */
    #cellsNow() {
        if (!this.cells || this.frames % CELLS_EVERY === 0) {
            this.cells = this.engine.cells?.();
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
