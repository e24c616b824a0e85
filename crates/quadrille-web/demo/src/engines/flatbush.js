// flatbush, built anew in each frame: it cannot be changed. It tells nothing of its nodes, so it has no cells to show.
import Flatbush from 'flatbush';
import { WindowEngine } from './windows.js';

export class FlatbushEngine extends WindowEngine {
    constructor(scene) {
        super(scene);
        this.move();
    }

    move() {
        const { count, places } = this.scene;
        this.index = new Flatbush(count, 16, Float32Array);
        for (let at = 0; at < 2 * count; at += 2) this.index.add(places[at], places[at + 1]);
        this.index.finish();
    }

    search(minX, minY, maxX, maxY) { return this.index.search(minX, minY, maxX, maxY); }

    nearest(x, y, k) { return this.index.neighbors(x, y, k); }
}
