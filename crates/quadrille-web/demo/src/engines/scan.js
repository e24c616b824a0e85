// No index: each answer from a look at everything. The others are compared with it.
import { WindowEngine } from './windows.js';

export class ScanEngine extends WindowEngine {
    move() {}

    search(minX, minY, maxX, maxY) {
        const { count, places } = this.scene, found = [];
        for (let id = 0; id < count; id++) {
            const x = places[2 * id], y = places[2 * id + 1];
            if (minX <= x && x <= maxX && minY <= y && y <= maxY) found.push(id);
        }
        return found;
    }

    nearest(x, y, k) {
        const { count, places } = this.scene, far = (id) => (places[2 * id] - x) ** 2 + (places[2 * id + 1] - y) ** 2;
        return Array.from({ length: count }, (_, id) => id).sort((a, b) => far(a) - far(b)).slice(0, k);
    }
}
