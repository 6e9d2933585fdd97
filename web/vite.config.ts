import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// Names without hashes: the studio's address is new with every start, so nothing is cached under an old one, and a rebuild of the same
// sources gives the same files.
export default defineConfig({
  base: "./",
  plugins: [svelte()],
  build: {
    outDir: "../crates/studio/assets",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    rollupOptions: {
      output: {
        entryFileNames: "studio.js",
        chunkFileNames: "[name].js",
        assetFileNames: "studio[extname]",
      },
    },
  },
});
