// The wind that carries everything: a few waves whose sum has neither sources nor sinks, and a whirl about the pointer.

const CELL = 10, WHIRL = 190;
/** How often each wave repeats across and down, how fast it blows, and its turn for each frame. */
const WAVES = [[1, 0, 0.55, 0.0031], [0, 1, 0.5, -0.0023], [1, 1, 0.5, 0.0041], [-2, 1, 0.42, -0.0053], [1, 2, 0.4, 0.0047], [3, -2, 0.3, 0.0071]];

export class Flow {
    constructor(width, height) {
        this.width = width;
        this.height = height;
        // One more at the far edges: rounding may put a point on these.
        this.columns = Math.ceil(width / CELL) + 1;
        this.rows = Math.ceil(height / CELL) + 1;
        /** Velocities, in units a frame. */
        this.field = new Float32Array(2 * this.columns * this.rows);
        this.cell = CELL;
    }

    update(time, pointer) {
        this.field.fill(0);
        WAVES.forEach((wave, number) => this.#blow(wave, time + 900 * number));
        if (pointer) this.#whirl(pointer);
    }

    #blow([across, down, speed, turn], time) {
        const { field, columns, rows } = this;
        const kx = 2 * Math.PI * across / this.width, ky = 2 * Math.PI * down / this.height, length = Math.hypot(kx, ky);
        const u = -speed * ky / length, v = speed * kx / length;
        // Along a row the angle grows evenly, so its sine follows from the one before.
        const cosine = Math.cos(kx * CELL), sine = Math.sin(kx * CELL);
        for (let row = 0, at = 0; row < rows; row++) {
            const angle = turn * time + ky * CELL * row;
            let s = Math.sin(angle), c = Math.cos(angle);
            for (let column = 0; column < columns; column++) {
                field[at++] += u * s;
                field[at++] += v * s;
                [s, c] = [s * cosine + c * sine, c * cosine - s * sine];
            }
        }
    }

    /** Round the pointer, and towards a ring about it. */
    #whirl({ x, y }) {
        const { field, columns, rows } = this;
        const first = (at) => Math.max(0, Math.floor((at - WHIRL) / CELL)), end = (at, size) => Math.min(size, Math.ceil((at + WHIRL) / CELL));
        for (let row = first(y); row < end(y, rows); row++) {
            for (let column = first(x); column < end(x, columns); column++) {
                const dx = column * CELL - x, dy = row * CELL - y, far = Math.hypot(dx, dy) / WHIRL;
                if (far >= 1 || far === 0) continue;
                const round = 22 * (1 - far) ** 2, inwards = 14 * (far - 0.36) * (1 - far), at = 2 * (row * columns + column);
                field[at] += (-dy * round - dx * inwards) / WHIRL;
                field[at + 1] += (dx * round - dy * inwards) / WHIRL;
            }
        }
    }
}
