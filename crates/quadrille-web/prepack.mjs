// Refuses to pack or publish the package without what it consists of, which is built. Needs no other package.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const { exports } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'));
const files = (entry) => (typeof entry === 'string' ? [entry] : Object.values(entry).flatMap(files));
/** Those that entries name, and the module beside each but the class of rbush, which has that of the whole package. */
const needed = new Set(files(exports).flatMap((file) => (/\.js$/.test(file) && !file.endsWith('rbush.js') ? [file, file.replace(/js$/, 'wasm')] : [file])));
const missing = [...needed].filter((file) => !existsSync(join(import.meta.dirname, file)));
if (missing.length) {
    console.error(`${missing[0]} and ${missing.length - 1} other files of the package are not built.
With Rust and \`rustup target add wasm32-unknown-unknown\`: npm ci && npm run build, which takes some minutes.`);
    process.exitCode = 1;
}
