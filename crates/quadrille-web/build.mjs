// Builds pkg/: the modules by cargo and wasm-opt, and the glue.
//
//   node build.mjs [NAME...]    all modules, or those named
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import ts from 'typescript';

process.chdir(import.meta.dirname);
const target = process.env.CARGO_TARGET_DIR ?? 'target';
/** The features of the library's crate that each module has. */
const MODULES = { 'index': 'markers', 'f32': 'full,f32', '3d': 'full,space', '3d-f32': 'full,space,f32', 'lite': '', 'periodic': 'torus' };

/** No module names the folders in which it was built. */
const RUSTFLAGS = ['-C', 'target-feature=+simd128',
    `--remap-path-prefix=${resolve('../..')}=.`, `--remap-path-prefix=${process.env.CARGO_HOME ?? join(homedir(), '.cargo')}=cargo`];

function run(command, ...options) {
    execFileSync(command, options, { stdio: 'inherit', env: { ...process.env, CARGO_ENCODED_RUSTFLAGS: RUSTFLAGS.join('\x1f') } });
}

// The lowest addresses are the end of the stack. Functions of similar names have similar code, which is smaller side by side.
function module(name, features) {
    run('cargo', 'build', '--release', '--quiet', '--target', 'wasm32-unknown-unknown', '--no-default-features', '--features', features, '--target-dir', target);
    run(process.execPath, 'node_modules/binaryen/bin/wasm-opt', '--low-memory-unused', '-O3', '--reorder-functions-by-name', '--enable-simd', '--enable-bulk-memory', '--enable-bulk-memory-opt',
        '--enable-nontrapping-float-to-int', '--enable-sign-ext', '--enable-mutable-globals', '--enable-multivalue', '--enable-reference-types',
        '--strip-debug', '--strip-producers', `${target}/wasm32-unknown-unknown/release/quadrille_web.wasm`, '-o', `pkg/${name}.wasm`);
    const bytes = readFileSync(`pkg/${name}.wasm`);
    console.log(`${name}.wasm: ${bytes.length} bytes, ${brotliCompressSync(bytes).length} by brotli`);
}

function glue(name, world) {
    writeFileSync(`pkg/${name}.js`, `import { entry } from './module.js';
import { World } from './${world}.js';

export { Ids } from './ids.js';
export const { init, initSync } = /* @__PURE__ */ entry(World, () => new URL('./${name}.wasm', import.meta.url));
`);
    writeFileSync(`pkg/${name}.cjs`, `'use strict';
const { readFileSync } = require('node:fs');
const { entry } = require('./module.cjs');
const { World } = require('./${world}.cjs');

exports.Ids = require('./ids.cjs').Ids;
Object.assign(exports, entry(World, () => readFileSync(\`\${__dirname}/${name}.wasm\`)));
`);
}

/** For programs of Node in CommonJS: a class that extends that of rbush cannot wait for the module. */
function commonjs(name) {
    const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
    const { outputText } = ts.transpileModule(readFileSync(`pkg/${name}.js`, 'utf8'), { compilerOptions });
    writeFileSync(`pkg/${name}.cjs`, outputText.replace(/require\("(\.\/\w+)\.js"\)/g, 'require("$1.cjs")'));
}

/** The types of CommonJS are the same. */
function types(name) {
    writeFileSync(`pkg/${name}.d.cts`, readFileSync(`pkg/${name}.d.ts`, 'utf8').replaceAll(".js'", ".cjs'"));
}

mkdirSync('pkg', { recursive: true });
for (const file of ['module.js', 'memory.js', 'ids.js', 'saved.js', 'windows.js', 'clusters.js', 'world.js', 'rbush.js', 'supercluster.js', 'types.d.ts', 'index.d.ts', '3d.d.ts', 'lite.d.ts', 'rbush.d.ts', 'supercluster.d.ts']) copyFileSync(`src/${file}`, `pkg/${file}`);
for (const name of Object.keys(MODULES)) glue(name, name === 'lite' ? 'windows' : 'world');
writeFileSync('pkg/started.js', "import { init, initSync } from './index.js';\n\nawait init();\n/** The module that all share, or another one if that was closed. */\nexport const running = () => initSync();\n");
writeFileSync('pkg/started.cjs', "'use strict';\nexports.running = require('./index.cjs').initSync;\n");
for (const name of ['module', 'memory', 'ids', 'saved', 'windows', 'clusters', 'world', 'rbush', 'supercluster']) commonjs(name);
for (const name of ['types', 'index', '3d', 'lite', 'rbush', 'supercluster']) types(name);
const asked = process.argv.slice(2);
for (const [name, features] of Object.entries(MODULES)) if (!asked.length || asked.includes(name)) module(name, features);
