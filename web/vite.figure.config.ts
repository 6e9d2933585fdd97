import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// The component that draws the figures of pages: one script that every page carries inside it.
export default defineConfig({
  plugins: [svelte({ compilerOptions: { discloseVersion: false } })],
  build: {
    outDir: "../crates/page/assets",
    emptyOutDir: true,
    target: "es2022",
    // Those that know light-dark(), by which pages are light or dark.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    lib: { entry: "src/figure/page.ts", formats: ["iife"], name: "petrio", fileName: () => "figure.js", cssFileName: "figure" },
  },
});
