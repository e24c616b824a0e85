// Refuses to pack or publish the package without what it consists of, which is built, or built of older sources. Needs no other package.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const here = (...names) => join(import.meta.dirname, ...names);
const { exports } = JSON.parse(readFileSync(here('package.json'), 'utf8'));
const files = (entry) => (typeof entry === 'string' ? [entry] : Object.values(entry).flatMap(files));
/** Those that entries name, and the module beside each but the classes of rbush and supercluster, which have that of the whole package. */
const needed = new Set(files(exports).flatMap((file) => (/\.js$/.test(file) && !/(rbush|supercluster)\.js$/.test(file) ? [file, file.replace(/js$/, 'wasm')] : [file])));
const missing = [...needed].filter((file) => !existsSync(here(file)));
const sources = ['src', 'rust'].flatMap((folder) => (existsSync(here(folder)) ? readdirSync(here(folder)).map((name) => here(folder, name)) : []));
const times = (files) => files.map((file) => statSync(file).mtimeMs);
const isOlder = () => Math.min(...times([...needed].map((file) => here(file)))) < Math.max(...times(sources));
if (missing.length || isOlder()) {
    console.error(`${missing.length ? `${missing[0]} and ${missing.length - 1} other files of the package are not built` : 'The package is older than its sources'}.
With Rust and \`rustup target add wasm32-unknown-unknown\`: npm ci && npm run build, which takes some minutes.`);
    process.exitCode = 1;
}
