import { defineConfig } from 'vite';

export default defineConfig({
    // The folder works under any path of a host.
    base: './',
    build: { target: 'es2022', modulePreload: { polyfill: false } },
    // The module lies beside the package's code, so that must stay where it is: in the folder above.
    optimizeDeps: { exclude: ['quadrille'] },
    server: { fs: { allow: ['..'] } },
});
