// The world of quadrille: nothing is built anew, all are moved.
import { init } from 'quadrille/f32';

let module;

/** Before the first engine is made. */
export async function load() { module = await init(); }

export class QuadrilleEngine {
    constructor(scene) {
        const { count, comets, places, stones } = scene;
        this.scene = scene;
        this.world = module.world(0, 0, scene.width, scene.height);
        this.swarm = this.world.addPointLayer();
        this.cometLayer = this.world.addPointLayer();
        this.stoneLayer = this.world.addBoxLayer();
        this.points = 1 << this.swarm | 1 << this.cometLayer;
        this.world.insertPoints(this.swarm, 0, places.subarray(0, 2 * comets));
        this.world.insertPoints(this.cometLayer, comets, places.subarray(2 * comets));
        this.world.insertBoxes(this.stoneLayer, count, stones);
        this.cometIds = Uint32Array.from({ length: count - comets }, (_, at) => comets + at);
    }

    move() { this.world.movePoints(0, this.scene.places); }

    /** Calls with a stone and a point that is in it. */
    inStones(call) {
        const { count } = this.scene, pairs = this.world.pairs({ layers: 1 << this.stoneLayer, between: this.points });
        for (let at = 0; at < pairs.length; at += 2) {
            const [a, b] = [pairs[at], pairs[at + 1]];
            call(Math.max(a, b) - count, Math.min(a, b));
        }
    }

    watch(ring) { return this.world.watch({ polygon: ring }, this.points); }

    nearest(x, y, k) { return this.world.nearest(x, y, { k, layers: this.points }).ids; }

    /** Pairs of a comet and one of the swarm that are within a distance, as they begin and end. */
    contacts(within) {
        const contacts = this.world.contacts({ layers: 1 << this.cometLayer, between: 1 << this.swarm, within });
        // Each pair has a comet, so it is enough to tell that these have moved.
        return { poll: () => contacts.poll(this.cometIds), free: () => contacts.free() };
    }

    cells() { return this.world.cells(this.swarm); }

    free() { this.world.free(); }
}
