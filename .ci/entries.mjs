// Each entry of a package can be imported and required, and its types are there. For a copy beside the `node_modules` in which the
// package is installed:  node entries.mjs PACKAGE
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [name] = process.argv.slice(2);
const folder = join(import.meta.dirname, 'node_modules', name);
const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const require = createRequire(import.meta.url);
for (const [entry, { types, node }] of Object.entries(exports)) {
    const path = join(name, entry);
    for (const module of [await import(path), require(path)]) if (!Object.keys(module).length) throw new Error(`${entry} exports nothing`);
    for (const file of [types, node.require.types]) if (!existsSync(join(folder, file))) throw new Error(`${entry}: no ${file}`);
    console.log(`${entry}: ${Object.keys(require(path)).join(', ')}`);
}
