// Starts the page.
import './style.css';
import { COUNTS, Card } from './card.js';
import { Demo } from './demo.js';
import { load } from './engines/quadrille.js';
import { hexagon } from './input.js';

const COUNT = 100_000, RESIZE_MS = 150;
const canvas = document.querySelector('#world');
const asked = new URLSearchParams(location.search);

function fail(error) {
    const box = document.querySelector('#failure');
    box.textContent = `This page cannot run here: ${error.message}.`;
    box.hidden = false;
    document.body.classList.add('failed');
    console.error(error);
}

function start() {
    const count = COUNTS.find((number) => number === Number(asked.get('count'))) ?? COUNT;
    const demo = new Demo(canvas, count, matchMedia('(prefers-reduced-motion: reduce)').matches), { width, height } = demo.scene;
    demo.use('quadrille');
    demo.zones.add(hexagon(width * 0.24, height * 0.34, 110));
    demo.zones.add(hexagon(width * 0.6, height * 0.72, 80));
    const card = new Card(document, demo);
    let timer;
    new ResizeObserver(() => {
        clearTimeout(timer);
        timer = setTimeout(() => { if (canvas.clientWidth && canvas.clientHeight) demo.resize(); }, RESIZE_MS);
    }).observe(canvas);
    function frame(now) {
        try {
            demo.frame(now);
            card.tick(now);
            requestAnimationFrame(frame);
        } catch (error) {
            fail(error);
        }
    }
    requestAnimationFrame(frame);
    return demo;
}

try {
    await load();
    if (asked.has('verify')) (await import('./verify.js')).verify(document.querySelector('#verified'));
    // For tests and for who is curious.
    window.demo = start();
} catch (error) {
    fail(error);
}
