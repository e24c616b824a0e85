// The card: frame times side by side, and what can be set.
import { ENGINES } from './demo.js';
import { PARTS, median } from './times.js';

export const COUNTS = [1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000];
const TICK_MS = 400, MEASURE_MS = 1800, MEASURE_FRAMES = 10;
/** After so many frames each engine is measured for some, unless somebody has chosen one before. */
const LOOK_AFTER = 60, LOOK_FRAMES = 3;
/** Of sixty frames a second. */
const BUDGET_MS = 1000 / 60;
const small = matchMedia('(max-width: 1000px), (max-height: 640px)');

const sum = (parts) => PARTS.reduce((total, part) => total + parts[part], 0);
const digits = (ms) => (ms < 9.95 ? ms.toFixed(1) : Math.round(ms).toString());

export class Card {
    constructor(page, demo) {
        this.demo = demo;
        this.$ = (id) => page.getElementById(id);
        this.gaps = [];
        this.said = -Infinity;
        this.#listEngines();
        this.#listParts();
        this.#wire();
        this.#fold(small.matches);
        this.#pause(demo.zones.isCalm);
        this.#sayCount();
    }

    #listEngines() {
        this.rows = Object.fromEntries(Object.keys(ENGINES).map((name) => {
            const row = document.createElement('label');
            row.innerHTML = `<input type="radio" name="engine" value="${name}"><span>${name}</span>
                <span class="bar" aria-hidden="true"></span><span class="number">–</span>`;
            row.firstChild.checked = name === this.demo.name;
            // Not `change`: who clicks the one that is being looked at wants it to stay.
            row.firstChild.addEventListener('click', () => { this.measuring = undefined; this.hasLooked = true; this.#use(name); });
            this.$('engines').append(row);
            return [name, row];
        }));
    }

    #listParts() {
        for (const part of PARTS) {
            const item = document.createElement('li');
            item.className = part;
            item.innerHTML = `${part} <span class="number"></span>`;
            this.$('legend').append(item);
        }
    }

    #wire() {
        const { demo } = this;
        for (const show of ['nearest', 'sparks', 'cells']) {
            this.$(show).checked = demo.shows[show];
            this.$(show).addEventListener('change', ({ target }) => { demo.shows[show] = target.checked; });
        }
        this.$('count').value = COUNTS.indexOf(demo.scene.count);
        this.$('count').addEventListener('input', ({ target }) => {
            demo.setCount(COUNTS[target.value]);
            this.#sayCount();
        });
        this.$('fold').addEventListener('click', () => this.#fold(!this.isFolded));
        this.$('pause').addEventListener('click', () => this.#pause(!demo.isPaused));
        this.$('clear').addEventListener('click', () => demo.zones.clear());
        this.$('compare').addEventListener('click', () => this.#measure(Object.keys(ENGINES), MEASURE_MS, MEASURE_FRAMES));
    }

    #fold(isFolded) {
        this.isFolded = isFolded;
        this.$('card').classList.toggle('folded', isFolded);
        this.$('fold').setAttribute('aria-expanded', String(!isFolded));
        this.$('fold').setAttribute('aria-label', isFolded ? 'Unfold the card' : 'Fold the card');
    }

    #pause(isPaused) {
        this.demo.isPaused = isPaused;
        this.$('pause').textContent = isPaused ? 'Play' : 'Pause';
    }

    #sayCount() {
        const said = this.demo.scene.count.toLocaleString('en');
        this.$('said').textContent = this.$('counted').textContent = said;
        this.$('count').setAttribute('aria-valuetext', said);
    }

    #use(name) {
        this.demo.use(name);
        this.gaps = [];
        this.said = -Infinity;
        this.rows[name].firstChild.checked = true;
        this.$('cells').disabled = !this.demo.engine.cells;
        this.$('cells').parentElement.title = this.demo.engine.cells ? '' : `${name} does not tell its boxes`;
    }

    /** One engine after the other, and back to the first. */
    #measure([name, ...others], ms, frames) {
        this.hasLooked = true;
        this.#pause(false);
        this.#use(name);
        this.measuring = { others, ms, frames, until: performance.now() + ms, last: this.demo.frames + frames };
    }

    #measureOn(now) {
        const { others, ms, frames, until, last } = this.measuring;
        if (now < until || this.demo.frames < last) return;
        this.measuring = undefined;
        if (others.length) this.#measure(others, ms, frames);
        else this.#use(Object.keys(ENGINES)[0]);
    }

    /** After each frame. */
    tick(now) {
        if (this.before < now) this.gaps.push(now - this.before);
        if (this.gaps.length > 60) this.gaps.shift();
        this.before = now;
        if (this.measuring) this.#measureOn(now);
        else if (!this.hasLooked && !this.demo.isPaused && this.demo.frames > LOOK_AFTER) this.#measure(Object.keys(ENGINES).slice(1), 0, LOOK_FRAMES);
        if (now - this.said < TICK_MS || !this.gaps.length) return;
        this.said = now;
        this.#sayTimes();
        if (this.demo.hasDrawn) this.$('hint').classList.add('gone');
    }

    #sayTimes() {
        const { demo } = this, now = demo.times.medians(demo.name);
        const of = Object.keys(ENGINES).map((name) => [name, demo.times.medians(name)]).filter(([, parts]) => parts);
        const longest = Math.max(BUDGET_MS, ...of.map(([, parts]) => sum(parts)));
        for (const [name, row] of Object.entries(this.rows)) {
            const parts = demo.times.medians(name);
            row.classList.toggle('running', name === demo.name);
            row.lastChild.textContent = parts ? digits(sum(parts)) : '–';
            fillBar(row.querySelector('.bar'), parts, longest);
        }
        this.$('rate').textContent = demo.isPaused ? 'paused' : `${Math.round(1000 / median(this.gaps))} frames/s`;
        this.$('versus').textContent = of.length > 1 ? `a frame: ${of.map(([name, parts], at) => (at ? `${name} ${digits(sum(parts))}` : `${digits(sum(parts))} ms`)).join(', ')}` : '';
        fillBar(this.$('summary'), now, Math.max(BUDGET_MS, now ? sum(now) : 0));
        for (const part of PARTS) this.$('legend').querySelector(`.${part} .number`).textContent = now ? digits(now[part]) : '';
    }
}

/** A stripe for each part, and a mark where sixty frames a second end. */
function fillBar(bar, parts, longest) {
    const stripes = PARTS.map((part) => `<i class="${part}" style="width:${parts ? 100 * parts[part] / longest : 0}%"></i>`);
    bar.innerHTML = `${stripes.join('')}<b style="left:${100 * BUDGET_MS / longest}%"></b>`;
}
