// The multiples as a picture: a strip for each workload, a mark for each contender.
import * as vega from 'vega';
import { compile } from 'vega-lite';

const LEAST = 0.1, MOST = 200;
const TITLES = { node: 'Node', chromium: 'Chromium' };

export async function draw(rows) {
    const values = rows.map(({ run, kind, spread, n, workload, contender, ratio }) => ({
        workload,
        contender,
        ratio: Math.min(Math.max(ratio, LEAST), MOST),
        scene: `${kind}${spread === 'crowds' ? ' in crowds' : ''}`,
        column: `${TITLES[run]}, ${n.toLocaleString('en').replaceAll(',', ' ')}`,
    }));
    const order = (column) => [...new Set(values.map((row) => row[column]))];
    const { spec } = compile({
        $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
        title: { text: 'Time as a multiple of that of quadrille: right of 1 slower, left of it faster', anchor: 'start' },
        background: 'white',
        config: { aria: false },
        data: { values },
        facet: {
            row: { field: 'scene', sort: order('scene'), title: null, header: { labelFontSize: 12, labelFontWeight: 'bold' } },
            column: { field: 'column', sort: order('column'), title: null, header: { labelFontSize: 12, labelFontWeight: 'bold' } },
        },
        spec: {
            width: 220,
            height: { step: 16 },
            layer: [
                { mark: { type: 'rule', color: '#888' }, encoding: { x: { datum: 1 } } },
                {
                    mark: { type: 'point', filled: true, size: 45, opacity: 0.85 },
                    encoding: {
                        x: { field: 'ratio', type: 'quantitative', title: null, scale: { type: 'log', domain: [LEAST, MOST] }, axis: { values: [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200], format: '~g' } },
                        y: { field: 'workload', type: 'nominal', sort: order('workload'), title: null, axis: { grid: true, labelLimit: 240 } },
                        color: { field: 'contender', sort: order('contender'), title: null, scale: { scheme: 'dark2' }, legend: { orient: 'top', symbolSize: 90 } },
                        shape: { field: 'contender', sort: order('contender'), title: null },
                    },
                },
            ],
        },
    });
    return new vega.View(vega.parse(spec), { renderer: 'none' }).toSVG();
}
