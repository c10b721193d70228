import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    globalSetup: "test/server/build.ts",
    testTimeout: 30_000,
  },
});
