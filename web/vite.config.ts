import { defineConfig } from "vite";

// The studio's page; the server serves it from the package.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/swerve/studio/page",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1500,
  },
});
