import { defineConfig } from "vitest/config";

// The tests in a real browser against the real server. They share both, so the
// files run one after the other.
export default defineConfig({
  test: {
    environment: "node",
    include: ["browser/**/*.test.ts"],
    globalSetup: "browser/setup.ts",
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
