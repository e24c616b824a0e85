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
        const { count, places } = this.scene, ids = [], squares = [];
        for (let id = 0; id < count; id++) {
            const square = (places[2 * id] - x) ** 2 + (places[2 * id + 1] - y) ** 2;
            if (ids.length === k && square >= squares[k - 1]) continue;
            let at = Math.min(ids.length, k - 1);
            for (; at > 0 && squares[at - 1] > square; at--) [ids[at], squares[at]] = [ids[at - 1], squares[at - 1]];
            [ids[at], squares[at]] = [id, square];
        }
        return ids;
    }
}
