import { expect, test } from "@playwright/test";
import { bytesOf, pageRoutes, scriptBytesMax, scriptsOf } from "../../scripts/script-size.ts";

for (const route of pageRoutes()) {
  test(`${route.replace(/\/page$/, "/")} needs less than ${scriptBytesMax / 1000} kB of compressed script to be there`, () => {
    // A build that is laid out otherwise must not pass by having nothing in it.
    expect(scriptsOf(route).length).toBeGreaterThan(5);
    const bytes = bytesOf(route);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(scriptBytesMax);
  });
}
