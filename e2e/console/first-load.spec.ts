import { bytesOf, pageRoutes, scriptBytesMax, scriptsOf } from "../../scripts/script-size.ts";
import { expect, test } from "../support/console.ts";

for (const route of pageRoutes()) {
  test(`${route.replace(/\/page$/, "/")} needs less than ${scriptBytesMax / 1000} kB of compressed script to be there`, () => {
    // A build that is laid out otherwise must not pass by having nothing in it.
    expect(scriptsOf(route).length).toBeGreaterThan(5);
    const bytes = bytesOf(route);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(scriptBytesMax);
  });
}

test("a browser gets scripts in the compressed form that is counted", async ({ page }) => {
  const codings: (string | undefined)[] = [];
  page.on("response", (response) => {
    if (response.url().endsWith(".js")) codings.push(response.headers()["content-encoding"]);
  });
  await page.goto("/sign-in");
  await expect(page.getByRole("button", { name: "Sign in" })).toBeEnabled();
  expect(codings.length).toBeGreaterThan(5);
  expect(codings.filter((coding) => coding !== "br")).toEqual([]);
});
