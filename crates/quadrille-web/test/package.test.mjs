// Nothing is packed where the modules are not built, or are older than their sources.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const root = new URL('..', import.meta.url), pack = (cwd) => spawnSync('npm', ['pack', '--dry-run', '--json'], { cwd, encoding: 'utf8', shell: process.platform === 'win32' });

test('a clone is not packed before it is built', () => {
    const clone = mkdtempSync(join(tmpdir(), 'quadrille-clone-'));
    try {
        for (const file of ['package.json', 'prepack.mjs', 'README.md']) copyFileSync(new URL(file, root), join(clone, file));
        const { status, stderr } = pack(clone);
        assert.notEqual(status, 0);
        assert.match(stderr, /not built.*npm ci && npm run build/s);
        cpSync(new URL('pkg', root), join(clone, 'pkg'), { recursive: true });
        assert.equal(pack(clone).status, 0);
        mkdirSync(join(clone, 'src'));
        writeFileSync(join(clone, 'src', 'world.js'), '');
        const later = Date.now() / 1000 + 60;
        utimesSync(join(clone, 'src', 'world.js'), later, later);
        const older = pack(clone);
        assert.notEqual(older.status, 0);
        assert.match(older.stderr, /older than its sources.*npm ci && npm run build/s);
    } finally {
        rmSync(clone, { recursive: true });
    }
});

test('the package has all modules, with types and in both forms', () => {
    const { status, stdout, stderr } = pack(root);
    assert.equal(status, 0, stderr);
    const names = JSON.parse(stdout.slice(stdout.indexOf('[')))[0].files.map(({ path }) => path);
    assert.equal(names.filter((name) => name.endsWith('.wasm')).length, 6);
    for (const name of ['pkg/memory.js', 'pkg/memory.cjs', 'pkg/3d.d.cts', 'README.md', 'LICENSE-MIT']) assert.ok(names.includes(name), name);
});
