import type { Page } from "@playwright/test";
import { expectNoFault } from "./support/accessibility.ts";
import { picture, test } from "./support/console.ts";

interface Screen {
  readonly path: string;
  readonly ready: (page: Page) => Promise<void>;
}

/** Every screen, and how one sees that it is drawn. */
const screens: Record<string, Screen> = {
  overview: { path: "/overview", ready: (page) => page.getByText("Latest generations").waitFor() },
  keys: { path: "/keys", ready: (page) => page.getByText("First key").waitFor() },
  reference: {
    path: "/docs",
    ready: (page) => page.getByRole("heading", { name: "Create a text completion" }).waitFor(),
  },
  "sign-in": { path: "/sign-in", ready: (page) => page.getByLabel("E-mail").waitFor() },
};

// The reference draws every operation at once, and axe looks at each of its elements.
test.setTimeout(90_000);

for (const [name, { path, ready }] of Object.entries(screens)) {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [1440, 390]) {
      test(`${name} has no accessibility fault, ${colorScheme} at ${width} px`, async ({
        consolePage: page,
      }) => {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page.setViewportSize({ width, height: 900 });
        await page.goto(path);
        await ready(page);
        await page.screenshot({ path: picture(`${name}-${colorScheme}-${width}`), fullPage: width === 1440 });
        await expectNoFault(page);
      });
    }
  }
}
