// rbush, loaded anew in each frame: with all moving, `remove` and `insert` of each take several times as long.
import RBush from 'rbush';
import knn from 'rbush-knn';
import { WindowEngine } from './windows.js';

export class RbushEngine extends WindowEngine {
    constructor(scene) {
        super(scene);
        this.tree = new RBush();
        this.items = Array.from({ length: scene.count }, (_, id) => ({ id, minX: 0, minY: 0, maxX: 0, maxY: 0 }));
        this.move();
    }

    move() {
        const { places } = this.scene;
        for (const item of this.items) {
            item.minX = item.maxX = places[2 * item.id];
            item.minY = item.maxY = places[2 * item.id + 1];
        }
        this.tree.clear().load(this.items);
    }

    search(minX, minY, maxX, maxY) { return this.tree.search({ minX, minY, maxX, maxY }).map((item) => item.id); }

    nearest(x, y, k) { return knn(this.tree, x, y, k).map((item) => item.id); }

    /** The boxes of its nodes. */
    cells() {
        const boxes = [], depths = [], open = [[this.tree.toJSON(), 0]];
        while (open.length) {
            const [node, depth] = open.pop();
            boxes.push(node.minX, node.minY, node.maxX, node.maxY);
            depths.push(depth);
            if (!node.leaf) for (const child of node.children) open.push([child, depth + 1]);
        }
        return { boxes, depths };
    }
}
