import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const mermaid = /node_modules\/(?:mermaid|@mermaid-js|@iconify|@chevrotain|chevrotain[\w-]*|langium|vscode-[\w-]+|cytoscape[\w-]*|cose-base|layout-base|katex|d3[\w-]*|dagre-d3-es|roughjs|khroma|dayjs|dompurify|marked|stylis|lodash-es|ts-dedent|uuid|internmap|delaunator|robust-predicates|points-on-\w+|path-data-parser|hachure-fill|@upsetjs|@braintree|es-toolkit|points-on-curve)\//;

// The built files are part of the repository: their names say what they are and
// stay the same, so that a change of the source is a small change of the build.
export default defineConfig({
  plugins: [react()],
  resolve: { dedupe: ["react", "react-dom"] }, // the client package brings its own for its tests
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 4000,
    rolldownOptions: {
      output: {
        entryFileNames: "assets/[name].js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/[name][extname]",
        // Mermaid comes in a hundred pieces; one file is enough for what is seldom looked at.
        codeSplitting: {
          groups: [
            { name: "preload", test: /preload-helper/, priority: 3 },
            { name: "d3", test: /node_modules\/d3-(?:drag|zoom|selection|transition|interpolate|color|dispatch|ease|timer)\//, priority: 2 }, // the plan's graph needs these too
            { name: "mermaid", test: mermaid, priority: 1 },
          ],
        },
      },
    },
  },
  server: { proxy: { "/api": "http://127.0.0.1:7717", "/ws": { target: "ws://127.0.0.1:7717", ws: true } } },
});
