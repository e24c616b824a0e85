// kdbush: points only, built anew where something has moved. Of nodes of 16 to 512 and of numbers of 32 and 64 bits the best for each
// question.
import KDBush from 'kdbush';
import { mix, pairKey } from '../scene.mjs';

export class KDBushContender {
    static title = 'kdbush';
    static kinds = ['points'];
    static rebuilt = true;

    constructor(scene) {
        this.scene = scene;
        this.build(16, scene.n < 50_000 ? Float64Array : Float32Array);
    }

    build(nodeSize = 64, Floats = Float64Array) {
        const { coords, n } = this.scene;
        this.index = new KDBush(n, nodeSize, Floats);
        for (let at = 0; at < 2 * n; at += 2) this.index.add(coords[at], coords[at + 1]);
        this.index.finish();
    }

    /** The fewer questions there will be, the less it pays to sort. */
    moveAll(questions) { this.build(questions < 500 ? 512 : 128); }
    moveSome() { this.build(128); }

    windows(list) {
        let total = 0;
        for (let at = 0; at < list.length; at += 4) {
            const ids = this.index.range(list[at], list[at + 1], list[at + 2], list[at + 3]);
            let sum = 0;
            for (let hit = 0; hit < ids.length; hit++) sum += ids[hit];
            total = mix(total, sum);
        }
        return total;
    }

    pairs(distance) {
        const { coords, n } = this.scene;
        let sum = 0;
        for (let id = 0; id < n; id++) {
            for (const other of this.index.within(coords[2 * id], coords[2 * id + 1], distance)) if (other > id) sum = (sum + pairKey(id, other)) | 0;
        }
        return sum;
    }
}
