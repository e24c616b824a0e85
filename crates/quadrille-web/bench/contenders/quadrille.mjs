// The package itself: `quadrille` and `quadrille/f32`, and worlds whose lists are borrowed.
import { mix, pairKey } from '../scene.mjs';

export const contender = (quadrille, name, options) => class {
    static title = name;

    constructor(scene) {
        this.scene = scene;
        this.world = quadrille.world(0, 0, scene.side, scene.side, options);
        this.layer = scene.kind === 'points' ? this.world.addPointLayer() : this.world.addBoxLayer();
        this.coords = name.endsWith('f32') ? scene.coords32 : scene.coords;
        this.build();
    }

    build() {
        this.world.clear();
        if (this.scene.kind === 'points') this.world.insertPoints(this.layer, 0, this.coords);
        else this.world.insertBoxes(this.layer, 0, this.coords);
    }

    moveAll() {
        if (this.scene.kind === 'points') this.world.movePoints(0, this.coords);
        else this.world.moveBoxes(0, this.coords);
    }

    moveSome(ids) {
        const { world, coords } = this;
        if (this.scene.kind === 'points') for (const id of ids) world.move(id, coords[2 * id], coords[2 * id + 1]);
        else for (const id of ids) world.move(id, coords[4 * id], coords[4 * id + 1], coords[4 * id + 2], coords[4 * id + 3]);
    }

    replace(ids) {
        const { world, layer, coords, scene: { per } } = this;
        for (const id of ids) {
            world.remove(id);
            const at = per * id, max = at + per - 2;
            world.insert(layer, id, coords[at], coords[at + 1], coords[max], coords[max + 1]);
        }
    }

    windows(list) {
        let total = 0;
        for (let at = 0; at < list.length; at += 4) {
            const ids = this.world.window(list[at], list[at + 1], list[at + 2], list[at + 3]);
            let sum = 0;
            for (let hit = 0; hit < ids.length; hit++) sum += ids[hit];
            total = mix(total, sum);
        }
        return total;
    }

    any(list) {
        let total = 0;
        for (let at = 0; at < list.length; at += 4) total = mix(total, +this.world.any(list[at], list[at + 1], list[at + 2], list[at + 3]));
        return total;
    }

    nearest(places, k) {
        let total = 0;
        for (let at = 0; at < places.length; at += 2) {
            const x = places[at], y = places[at + 1], { ids } = this.world.nearest(x, y, { k });
            for (let hit = 0; hit < ids.length; hit++) total += this.scene.distance2(ids[hit], x, y);
        }
        return total;
    }

    pairs(distance) {
        const ids = this.world.pairs({ within: distance });
        let sum = 0;
        for (let at = 0; at < ids.length; at += 2) sum = (sum + pairKey(ids[at], ids[at + 1])) | 0;
        return sum;
    }

    free() { this.world.free(); }
};
