// rbush, and the class of the same interface in `quadrille/rbush`, over items of the application.
import { mix, pairKey } from '../scene.mjs';

export const contender = (RBush, name) => class {
    static title = name;
    /** The class is for those who come from rbush: boxes. */
    static kinds = name === 'rbush' ? ['points', 'boxes'] : ['boxes'];

    constructor(scene) {
        this.scene = scene;
        this.items = Array.from({ length: scene.n }, (_, id) => ({ id, minX: 0, minY: 0, maxX: 0, maxY: 0 }));
        this.tree = new RBush(9, [0, 0, scene.side, scene.side]);
        this.follow();
        this.build();
    }

    /** The application's items move. */
    follow() { for (const item of this.items) this.#update(item); }

    #update(item) {
        const { coords, per } = this.scene, at = per * item.id, max = at + per - 2;
        item.minX = coords[at];
        item.minY = coords[at + 1];
        item.maxX = coords[max];
        item.maxY = coords[max + 1];
    }

    build() { this.tree.clear().load(this.items); }

    moveAll() {
        if (this.tree.moveAll) this.tree.moveAll();
        else this.build();
    }

    moveSome(ids) {
        if (!this.tree.move) return this.replace(ids);
        for (const id of ids) {
            this.#update(this.items[id]);
            this.tree.move(this.items[id]);
        }
    }

    replace(ids) {
        for (const id of ids) {
            const item = this.items[id];
            this.tree.remove(item);
            this.#update(item);
            this.tree.insert(item);
        }
    }

    windows(list) {
        let total = 0;
        for (let at = 0; at < list.length; at += 4) {
            const found = this.tree.search({ minX: list[at], minY: list[at + 1], maxX: list[at + 2], maxY: list[at + 3] });
            let sum = 0;
            for (let hit = 0; hit < found.length; hit++) sum += found[hit].id;
            total = mix(total, sum);
        }
        return total;
    }

    any(list) {
        let total = 0;
        for (let at = 0; at < list.length; at += 4) total = mix(total, +this.tree.collides({ minX: list[at], minY: list[at + 1], maxX: list[at + 2], maxY: list[at + 3] }));
        return total;
    }

    pairs(distance) {
        const { scene, tree } = this;
        let sum = 0;
        for (const { id, minX, minY, maxX, maxY } of this.items) {
            for (const other of tree.search({ minX: minX - distance, minY: minY - distance, maxX: maxX + distance, maxY: maxY + distance })) {
                if (other.id > id && scene.areNear(id, other.id, distance)) sum = (sum + pairKey(id, other.id)) | 0;
            }
        }
        return sum;
    }

    free() { this.tree.free?.(); }
};
