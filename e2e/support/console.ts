import { test as base, expect, type Page } from "@playwright/test";
import { installation } from "./installation.ts";

type Cookies = Parameters<ReturnType<Page["context"]>["addCookies"]>[0];
let session: Cookies | undefined;

/** Signs a page's browser in without the form, and once for all tests: sign-ins from one address are limited. */
async function signIn(page: Page): Promise<void> {
  if (session) return page.context().addCookies(session);
  const response = await page.context().request.post("/api/auth/sign-in/email", {
    headers: { origin: installation.origin },
    data: { email: installation.email, password: installation.password },
  });
  expect(response.status()).toBe(200);
  session = await page.context().cookies();
}

/**
 * A page on which everything unwanted fails the test: refusals of the policy, script errors, requests to
 * other hosts. `consolePage` is signed in besides.
 */
export const test = base.extend<{ cleanPage: Page; consolePage: Page }>({
  cleanPage: async ({ page }, use) => {
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      const expected = /status of 401/.test(message.text());
      if (message.type() === "error" && !expected) complaints.push(message.text());
    });
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.protocol.startsWith("http") && url.origin !== installation.origin) complaints.push(url.href);
    });
    await use(page);
    expect(complaints).toEqual([]);
  },
  consolePage: async ({ cleanPage }, use) => {
    await signIn(cleanPage);
    await use(cleanPage);
  },
});

export { expect };

/** Where pictures of the screens go, to be looked at. */
export const picture = (name: string) => `e2e/screenshots/${name}.png`;
