// flatbush: built anew where something has moved. Of nodes of 8 to 128 and of numbers of 32 and 64 bits the best for each question.
import Flatbush from 'flatbush';
import { mix, pairKey } from '../scene.mjs';

export class FlatbushContender {
    static title = 'flatbush';
    static rebuilt = true;

    constructor(scene) {
        this.scene = scene;
        this.index = this.#built(8, Float32Array);
    }

    #built(nodeSize, Floats = Float64Array) {
        const { coords, per, n } = this.scene, max = per - 2, index = new Flatbush(n, nodeSize, Floats);
        for (let at = 0; at < per * n; at += per) index.add(coords[at], coords[at + 1], coords[at + max], coords[at + max + 1]);
        index.finish();
        return index;
    }

    build(nodeSize = 128) { this.index = this.#built(nodeSize); }

    /** The fewer questions there will be, the less it pays to sort. */
    moveAll(questions) { this.build(questions < 500 ? 128 : 64); }
    moveSome() { this.build(64); }

    windows(list) {
        let total = 0;
        for (let at = 0; at < list.length; at += 4) {
            const ids = this.index.search(list[at], list[at + 1], list[at + 2], list[at + 3]);
            let sum = 0;
            for (let hit = 0; hit < ids.length; hit++) sum += ids[hit];
            total = mix(total, sum);
        }
        return total;
    }

    any(list) {
        let total = 0;
        for (let at = 0; at < list.length; at += 4) total = mix(total, +this.index.collides(list[at], list[at + 1], list[at + 2], list[at + 3]));
        return total;
    }

    nearest(places, k) {
        let total = 0;
        for (let at = 0; at < places.length; at += 2) {
            const x = places[at], y = places[at + 1], ids = this.index.neighbors(x, y, k);
            for (let hit = 0; hit < ids.length; hit++) total += this.scene.distance2(ids[hit], x, y);
        }
        return total;
    }

    pairs(distance) {
        const { scene, index } = this, { coords, per, n } = scene, max = per - 2;
        let sum = 0;
        for (let id = 0, at = 0; id < n; id++, at += per) {
            for (const other of index.search(coords[at] - distance, coords[at + 1] - distance, coords[at + max] + distance, coords[at + max + 1] + distance)) {
                if (other > id && scene.areNear(id, other, distance)) sum = (sum + pairKey(id, other)) | 0;
            }
        }
        return sum;
    }
}
