import { defineConfig } from "vite";

// The program of the standalone page in 3-D, in one file that Python puts into the page.
export default defineConfig({
  publicDir: false,
  build: {
    outDir: "../src/swerve/core/show/page",
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 1500,
    lib: {
      entry: "src/player.ts",
      formats: ["iife"],
      name: "swervePlayer",
      fileName: () => "player3d.js",
      cssFileName: "player3d",
    },
  },
});
