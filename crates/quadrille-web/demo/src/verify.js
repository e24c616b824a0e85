// The answers of the three engines beside a scan of everything, frame by frame.
import { ENGINES, NEAREST } from './demo.js';
import { ScanEngine } from './engines/scan.js';
import { hexagon } from './input.js';
import { Scene } from './scene.js';

const COUNT = 2000, FRAMES = 90, RADIUS = 40;

/** All that is asked in a frame, in an order that does not depend on the engine. */
class Asker {
    constructor(engine, rings) {
        this.engine = engine;
        this.watches = rings.map((ring) => engine.watch(ring));
        this.contacts = engine.contacts(RADIUS);
    }

    answers(pointer) {
        this.engine.move();
        const sorted = (list) => [...list].sort((a, b) => a - b);
        const pairs = (list) => sorted(Array.from({ length: list.length / 2 }, (_, at) => {
            const [a, b] = [list[2 * at], list[2 * at + 1]];
            return Math.max(a, b) * 2 ** 24 + Math.min(a, b);
        }));
        const inStones = [];
        this.engine.inStones((stone, id) => inStones.push(id * 100 + stone));
        const changes = this.watches.flatMap((watch) => {
            const { entered, left } = watch.poll();
            return [sorted(entered), sorted(left)];
        });
        const { begun, ended } = this.contacts.poll();
        const [started, stopped] = [pairs(begun), pairs(ended)];
        return [sorted(inStones), ...changes, started, stopped, [...this.engine.nearest(pointer.x, pointer.y, NEAREST)]];
    }
}

/** With five points, whose middle is not inside. */
function star(x, y, radius) {
    return Array.from({ length: 5 }, (_, at) => at * Math.PI * 0.8).flatMap((angle) => [x + radius * Math.cos(angle), y + radius * Math.sin(angle)]);
}

export function compare(engines = ENGINES) {
    const scene = new Scene(COUNT, 1.6), { width, height } = scene;
    const rings = [hexagon(width * 0.3, height * 0.4, 200), star(width * 0.55, height * 0.5, 450)].map((ring) => Float32Array.from(ring));
    const make = (Engine) => new Asker(new Engine(scene), rings);
    const scan = make(ScanEngine), others = Object.entries(engines).filter(([, Engine]) => Engine !== ScanEngine).map(([name, Engine]) => [name, make(Engine)]);
    /** `found`: of each question, the number of ids in all frames. */
    const result = { frames: FRAMES, answers: 0, found: [], differences: [] };
    for (let frame = 0; frame < FRAMES; frame++) {
        const pointer = { x: width * (0.5 + 0.4 * Math.cos(frame)), y: height * (0.5 + 0.4 * Math.sin(frame * 1.7)) };
        scene.step(2, pointer);
        const right = scan.answers(pointer);
        right.forEach((answer, at) => { result.found[at] = (result.found[at] ?? 0) + answer.length; });
        for (const [name, asker] of others) {
            asker.answers(pointer).forEach((answer, at) => {
                result.answers++;
                if (answer.join() !== right[at].join()) result.differences.push(`frame ${frame}, ${name}, answer ${at}`);
            });
        }
    }
    for (const [, { engine }] of others) engine.free();
    return result;
}

export function verify(place) {
    const { frames, answers, differences } = compare();
    place.textContent = differences.length
        ? `${differences.length} of ${answers} answers differ from a scan: ${differences[0]}`
        : `${answers} answers in ${frames} frames of ${COUNT} things agree with a scan`;
    place.hidden = false;
}
