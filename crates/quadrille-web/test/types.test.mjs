// A program with every entry passes the compiler of TypeScript, with and without the libraries of disposable objects and of the DOM,
// and in all ways to resolve modules.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const COMPILER = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

const LIBRARIES = ['--module nodenext --lib es2022,dom', '--module esnext --moduleResolution bundler --lib esnext,dom'];
// Of programs without the DOM: with the types of Node, and with none.
LIBRARIES.push('--module nodenext --lib es2022 --types node', '--module nodenext --lib es2022 --typeRoots none');

for (const options of LIBRARIES) test(`types: ${options}`, () => {
    // In the package, so that its own name leads to it.
    copyFileSync(new URL('types.ts', import.meta.url), new URL('../pkg/types.mts', import.meta.url));
    const { stdout } = spawnSync(process.execPath, [COMPILER, ...options.split(' '), '--target', 'es2022', '--strict', '--skipLibCheck', 'false', '--noEmit', new URL('../pkg/types.mts', import.meta.url).pathname], { encoding: 'utf8' });
    assert.equal(stdout, '');
});
