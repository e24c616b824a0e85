// A grid by hand, as one writes it for bodies of about the same size: sorted by cell with a counting sort into typed arrays, anew
// when something has moved. Each body is in the cell of its minimum corner, so a window is stretched by the largest body.
import { mix, pairKey } from '../scene.mjs';

/** The best of 9.5 to 20 for these scenes; it must exceed the largest body and the distance of pairs together. */
const CELL = 10;

export class GridContender {
    static title = 'grid by hand';
    static rebuilt = true;

    constructor(scene) {
        const { n, side, kind } = scene;
        this.scene = scene;
        this.columns = Math.ceil((side + 1) / CELL);
        this.cells = new Uint32Array(n);
        this.starts = new Uint32Array(this.columns ** 2 + 1);
        this.ids = new Uint32Array(n);
        const list = () => new Float32Array(n);
        [this.minX, this.minY] = [list(), list()];
        [this.maxX, this.maxY] = kind === 'points' ? [this.minX, this.minY] : [list(), list()];
        this.found = new Uint32Array(n);
        this.best = new Float64Array(16);
        this.build();
    }

    build() {
        const { starts, cells, columns, ids, minX, minY, maxX, maxY, scene: { coords32, per, n } } = this, max = per - 2;
        starts.fill(0);
        for (let id = 0, at = 0; id < n; id++, at += per) {
            const cell = cells[id] = (coords32[at + 1] / CELL | 0) * columns + (coords32[at] / CELL | 0);
            starts[cell]++;
        }
        for (let cell = 0, end = 0; cell < starts.length; cell++) starts[cell] = end += starts[cell];
        for (let id = n - 1; id >= 0; id--) {
            const to = --starts[cells[id]], at = per * id;
            ids[to] = id;
            minX[to] = coords32[at];
            minY[to] = coords32[at + 1];
            maxX[to] = coords32[at + max];
            maxY[to] = coords32[at + max + 1];
        }
    }

    moveAll() { this.build(); }
    moveSome() { this.build(); }

    #column(at) { return at < 0 ? 0 : Math.min(at / CELL | 0, this.columns - 1); }

    /** Writes up to so many hits into `found`. The cells of a row lie side by side. */
    #window(x0, y0, x1, y1, most) {
        const { starts, columns, ids, minX, minY, maxX, maxY, found, scene: { largest } } = this;
        const left = this.#column(x0 - largest), right = this.#column(x1), bottom = this.#column(y1);
        let hits = 0;
        for (let row = this.#column(y0 - largest); row <= bottom; row++) {
            const end = starts[row * columns + right + 1];
            for (let at = starts[row * columns + left]; at < end; at++) {
                if (minX[at] <= x1 && maxX[at] >= x0 && minY[at] <= y1 && maxY[at] >= y0) {
                    found[hits++] = ids[at];
                    if (hits === most) return hits;
                }
            }
        }
        return hits;
    }

    windows(list) {
        let total = 0;
        for (let at = 0; at < list.length; at += 4) {
            const hits = this.#window(list[at], list[at + 1], list[at + 2], list[at + 3], Infinity);
            let sum = 0;
            for (let hit = 0; hit < hits; hit++) sum += this.found[hit];
            total = mix(total, sum);
        }
        return total;
    }

    any(list) {
        let total = 0;
        for (let at = 0; at < list.length; at += 4) total = mix(total, this.#window(list[at], list[at + 1], list[at + 2], list[at + 3], 1));
        return total;
    }

    /** In growing squares, until enough are no farther than the square reaches. */
    nearest(places, k) {
        const { scene, best, found } = this;
        let total = 0;
        for (let at = 0; at < places.length; at += 2) {
            const x = places[at], y = places[at + 1];
            for (let reach = CELL / 2; ; reach *= 2) {
                const hits = this.#window(x - reach, y - reach, x + reach, y + reach, Infinity);
                let length = 0;
                for (let hit = 0; hit < hits; hit++) length = this.#keep(length, k, scene.distance2(found[hit], x, y));
                if ((length < k || best[k - 1] > reach * reach) && hits < scene.n) continue;
                for (let near = 0; near < length; near++) total += best[near];
                break;
            }
        }
        return total;
    }

    /** Puts a distance among the `k` least ones, in order; returns how many there are. */
    #keep(length, k, distance) {
        const { best } = this;
        if (length === k && best[k - 1] <= distance) return length;
        let at = length < k ? length++ : k - 1;
        for (; at > 0 && best[at - 1] > distance; at--) best[at] = best[at - 1];
        best[at] = distance;
        return length;
    }

    /** Each cell with itself and with half of its neighbours. */
    pairs(distance) {
        const { starts, columns, ids } = this;
        let sum = 0;
        for (let row = 0; row < columns; row++) {
            for (let column = 0; column < columns; column++) {
                const cell = row * columns + column, end = starts[cell + 1];
                const [left, right] = [cell + columns - (column > 0 ? 1 : 0), cell + columns + (column + 1 < columns ? 1 : 0)];
                const beside = column + 1 < columns ? starts[cell + 2] : end, below = row + 1 < columns;
                for (let one = starts[cell]; one < end; one++) {
                    for (let other = one + 1; other < beside; other++) if (this.#near(one, other, distance)) sum = (sum + pairKey(ids[one], ids[other])) | 0;
                    if (!below) continue;
                    for (let other = starts[left], to = starts[right + 1]; other < to; other++) if (this.#near(one, other, distance)) sum = (sum + pairKey(ids[one], ids[other])) | 0;
                }
            }
        }
        return sum;
    }

    #near(one, other, distance) {
        const { minX, minY, maxX, maxY } = this;
        const dx = Math.max(0, minX[one] - maxX[other], minX[other] - maxX[one]), dy = Math.max(0, minY[one] - maxY[other], minY[other] - maxY[one]);
        return dx * dx + dy * dy <= distance * distance;
    }
}
