import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { dedupe: ["react", "react-dom"] },
  test: { environment: "happy-dom", include: ["test/**/*.test.{ts,tsx}"] },
});
