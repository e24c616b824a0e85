// d3-quadtree: points only, as data of the application.
import { quadtree } from 'd3-quadtree';
import { mix, pairKey } from '../scene.mjs';

export class D3Contender {
    static title = 'd3-quadtree';
    static kinds = ['points'];

    constructor(scene) {
        this.scene = scene;
        this.data = Array.from({ length: scene.n }, (_, id) => ({ id, x: 0, y: 0 }));
        this.follow();
        this.build();
    }

    /** The application's data move. */
    follow() { for (const datum of this.data) this.#update(datum); }

    #update(datum) {
        datum.x = this.scene.coords[2 * datum.id];
        datum.y = this.scene.coords[2 * datum.id + 1];
    }

    build() { this.tree = quadtree(this.data, ({ x }) => x, ({ y }) => y); }
    moveAll() { this.build(); }
    moveSome(ids) { this.replace(ids); }

    replace(ids) {
        for (const id of ids) {
            const datum = this.data[id];
            this.tree.remove(datum);
            this.#update(datum);
            this.tree.add(datum);
        }
    }

    #visit(minX, minY, maxX, maxY, tell) {
        this.tree.visit((node, x0, y0, x1, y1) => {
            if (!node.length) do { const { x, y } = node.data; if (x >= minX && x <= maxX && y >= minY && y <= maxY) tell(node.data); } while (node = node.next);
            return x0 > maxX || y0 > maxY || x1 < minX || y1 < minY;
        });
    }

    windows(list) {
        let total = 0;
        for (let at = 0; at < list.length; at += 4) {
            let sum = 0;
            this.#visit(list[at], list[at + 1], list[at + 2], list[at + 3], ({ id }) => { sum += id; });
            total = mix(total, sum);
        }
        return total;
    }

    /** It has the nearest one alone. */
    nearest(places, k) {
        if (k > 1) return undefined;
        let total = 0;
        for (let at = 0; at < places.length; at += 2) total += this.scene.distance2(this.tree.find(places[at], places[at + 1]).id, places[at], places[at + 1]);
        return total;
    }

    pairs(distance) {
        const { scene } = this;
        let sum = 0;
        for (const { id, x, y } of this.data) {
            this.#visit(x - distance, y - distance, x + distance, y + distance, (other) => {
                if (other.id > id && scene.areNear(id, other.id, distance)) sum = (sum + pairKey(id, other.id)) | 0;
            });
        }
        return sum;
    }
}
