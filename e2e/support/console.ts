import { test as base, expect, type Page } from "@playwright/test";
import { applyView, expectNoFault, views } from "./accessibility.ts";
import { type Installation, installation, run } from "./installation.ts";

type Cookies = Parameters<ReturnType<Page["context"]>["addCookies"]>[0];
let session: Cookies | undefined;

/** Signs a page's browser in without the form. */
export async function signIn(page: Page, { origin, email, password }: Installation): Promise<void> {
  const response = await page.context().request.post(`${origin}/api/auth/sign-in/email`, {
    headers: { origin },
    data: { email, password },
  });
  expect(response.status()).toBe(200);
}

/** As above, at the installation under test, and once for all tests of a worker: a password takes time to check. */
export async function signInOnce(page: Page): Promise<void> {
  if (session) return page.context().addCookies(session);
  await signIn(page, installation);
  session = await page.context().cookies();
}

interface Pages {
  /** Everything unwanted fails the test: refusals of the policy, script errors, requests to other hosts. */
  readonly cleanPage: Page;
  /** The same, signed in. */
  readonly consolePage: Page;
}

interface Worker {
  /** What serves the installation under test. */
  readonly program: string;
  /** Additional settings in its environment. */
  readonly settings: Record<string, string>;
  readonly server: undefined;
}

export const test = base.extend<Pages, Worker>({
  program: [".server/main.mjs", { scope: "worker", option: true }],
  settings: [{}, { scope: "worker", option: true }],
  server: [
    async ({ program, settings }, use) => {
      const stop = await run(installation, program, settings);
      await use(undefined);
      await stop();
    },
    { scope: "worker", auto: true, timeout: 300_000 },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs off its first parameter
  baseURL: async ({}, use) => use(installation.origin),
  cleanPage: async ({ page }, use) => {
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      const expected = /status of 401/.test(message.text());
      if (message.type() === "error" && !expected)
        complaints.push(`${message.text()} ${message.location().url}`);
    });
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.protocol.startsWith("http") && url.hostname !== "127.0.0.1") complaints.push(url.href);
    });
    await use(page);
    expect(complaints).toEqual([]);
  },
  consolePage: async ({ cleanPage }, use) => {
    await signInOnce(cleanPage);
    await use(cleanPage);
  },
});

export { expect };

/** Where pictures of the screens go, to be looked at. */
export const picture = (name: string) => `e2e/screenshots/${name}.png`;

/** Axe and pictures of what stands open over a screen, in every look; it ends as it began, light and wide. */
export async function look(page: Page, name: string): Promise<void> {
  for (const each of views) {
    const { colorScheme, width, inspection } = each;
    await applyView(page, each);
    await page.screenshot({ path: picture(`${name}-${colorScheme}-${width}`) });
    if (inspection) await expectNoFault(page, { popup: true, inspection });
  }
  await applyView(page, views[0]);
}
