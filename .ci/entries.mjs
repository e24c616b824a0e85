// Each entry of an installed package can be imported, and its types are there:  node entries.mjs PACKAGE
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [name] = process.argv.slice(2);
const folder = join(process.cwd(), 'node_modules', name);
const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const { resolve } = createRequire(join(process.cwd(), 'stranger.js'));
for (const [entry, { types }] of Object.entries(exports)) {
    const module = await import(resolve(join(name, entry)));
    if (!Object.keys(module).length) throw new Error(`${entry} exports nothing`);
    if (!existsSync(join(folder, types))) throw new Error(`${entry}: no ${types}`);
    console.log(`${entry}: ${Object.keys(module).join(', ')}`);
}
