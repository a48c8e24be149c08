import {
  type APIRequestContext,
  type Browser,
  type BrowserContext,
  expect,
  type Page,
} from "@playwright/test";
import { expectNoFault } from "../support/accessibility.ts";
import { look, picture, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

const headers = { authorization: `Bearer ${installation.apiKey}` };
const who = { email: "viewer@example.eu", password: "a sentence to look around with" };

/** How the controls are called that change something of the organisation. */
const changes =
  /^(Create|Add|Invite|Send the|Take the|Delete|Remove|Revoke|Save|Rename|Grant|Change|Disable|Enable|Test|Import from|EU only|Retry|Edit|Check|Replace)\b/;

/** What stands on a screen and can be used to change something. */
async function offered(page: Page): Promise<string[]> {
  const controls = page
    .getByRole("button", { name: changes, disabled: false })
    .or(page.getByRole("switch", { disabled: false }))
    .or(page.getByRole("combobox", { name: /^Role of/, disabled: false }));
  const names = (await controls.all()).map(
    async (control) => (await control.getAttribute("aria-label")) ?? (await control.textContent()) ?? "",
  );
  return Promise.all(names);
}

interface Made {
  readonly rule: string;
  readonly destination: string;
  readonly workspace: string;
  readonly account: string;
  /** The hash of the viewer's own key, made while they were a member. */
  readonly key: string;
  readonly person: string;
}

/** Makes something of everything, and somebody who was a member and is a viewer now. */
async function populate(
  api: APIRequestContext,
  browser: Browser,
): Promise<{ made: Made; context: BrowserContext }> {
  const make = async (path: string, data: object) =>
    (await (await api.post(`/api/v1${path}`, { headers, data })).json()).data;
  const invited = await api.post("/api/v1/invitations", { headers, data: { email: who.email } });
  const token = new URL((await invited.json()).link).hash.slice(1);
  const accepted = { token, name: "Vera Viewer", password: who.password };
  await api.post("/api/v1/invitations/accept", { data: accepted });

  const context = await browser.newContext({ baseURL: installation.origin });
  const origin = { origin: installation.origin };
  const signedIn = await context.request.post("/api/auth/sign-in/email", { headers: origin, data: who });
  expect(signedIn.status()).toBe(200);
  const key = await context.request.post("/api/trpc/keys.create", {
    headers: origin,
    data: { name: "Of the viewer" },
  });
  const members = (await (await api.get("/api/v1/members", { headers })).json()).data;
  const { user_id: person } = members.find(({ email }: { email: string }) => email === who.email);
  await api.patch(`/api/v1/members/${person}`, { headers, data: { role: "viewer" } });

  const rule = {
    name: "Seen by all",
    scope: "org",
    enabled: false,
    provider: { data_residency: "eu", eu_owned: true },
  };
  const config = { url: "http://127.0.0.1:9/traces" };
  const destination = { name: "Seen by all", type: "webhook", config, enabled: false };
  return {
    context,
    made: {
      rule: (await make("/routing-rules", rule)).id,
      destination: (await make("/broadcast-destinations", destination)).id,
      workspace: (await make("/workspaces", { name: "Seen by all" })).id,
      account: (await make("/service-accounts", { name: "Seen by all" })).user_id,
      key: (await key.json()).result.data.data.hash,
      person,
    },
  };
}

async function clear(api: APIRequestContext, made: Made): Promise<void> {
  for (const path of [
    `/keys/${made.key}`,
    `/members/${made.person}`,
    `/service-accounts/${made.account}`,
    `/workspaces/${made.workspace}`,
    `/broadcast-destinations/${made.destination}`,
    `/routing-rules/${made.rule}`,
  ])
    expect((await api.delete(`/api/v1${path}`, { headers })).status(), path).toBe(200);
}

/** Each screen on which an owner changes something, and how to detect that it is drawn for a viewer. */
const screens: Record<string, { path: (made: Made) => string; ready: (page: Page) => Promise<void> }> = {
  "routing rules": { path: () => "/routing-rules", ready: (page) => row(page, "Seen by all") },
  "routing rule": {
    path: ({ rule }) => `/routing-rules?edit=${rule}`,
    ready: (page) => page.getByRole("textbox", { name: "Name", exact: true }).waitFor(),
  },
  "rules as a file": {
    path: () => "/routing-rules?sheet=transfer",
    ready: (page) => page.getByRole("button", { name: "Export", exact: true }).waitFor(),
  },
  destinations: { path: () => "/destinations", ready: (page) => row(page, "Seen by all") },
  destination: {
    path: ({ destination }) => `/destinations?open=${destination}`,
    ready: async (page) => {
      await page.getByRole("tab", { name: "Settings" }).click();
      await page.getByRole("textbox", { name: "Name", exact: true }).waitFor();
    },
  },
  keys: { path: () => "/keys", ready: (page) => row(page, "Of the viewer") },
  key: {
    path: ({ key }) => `/keys?open=${key}`,
    ready: (page) =>
      page
        .getByRole("dialog")
        .getByRole("row", { name: /^Expires/ })
        .waitFor(),
  },
  usage: { path: () => "/usage", ready: (page) => page.getByRole("table", { name: "Transfers" }).waitFor() },
  members: { path: () => "/settings/members", ready: (page) => row(page, "Vera Viewer") },
  "service accounts": { path: () => "/settings/service-accounts", ready: (page) => row(page, "Seen by all") },
  workspaces: { path: () => "/settings/workspaces", ready: (page) => row(page, "Seen by all") },
  organisation: {
    path: () => "/settings/organisation",
    ready: (page) => page.getByRole("table", { name: "Data retention" }).waitFor(),
  },
};
const row = (page: Page, name: string) => page.getByRole("row", { name: new RegExp(name) }).waitFor();

// Two people walk every screen.
test.setTimeout(150_000);

test("a viewer sees every screen and no control on it that changes anything; the server refuses them all the same", async ({
  consolePage: owner,
  request,
  browser,
}) => {
  const { made, context } = await populate(request, browser);
  try {
    const viewer = await context.newPage();
    const refused: string[] = [];
    viewer.on("response", (answer) => {
      // A batch in which some calls failed is a 207.
      if (answer.status() === 207 || answer.status() >= 400)
        refused.push(`${answer.status()} ${answer.url()}`);
    });
    for (const [name, { path, ready }] of Object.entries(screens)) {
      await test.step(name, async () => {
        await owner.goto(path(made));
        await ready(owner);
        await expect.poll(() => offered(owner).then(({ length }) => length)).toBeGreaterThan(0);
        await viewer.goto(path(made));
        await ready(viewer);
        // Until it is known who looks, nobody is offered anything.
        await viewer.getByText("My organisation").first().waitFor({ state: "attached" });
        expect(await offered(viewer)).toEqual([]);
        await viewer.screenshot({ path: picture(`viewer-${name}`) });
      });
    }
    await viewer.goto(screens["routing rule"]?.path(made) ?? "");
    await expect(viewer.getByRole("textbox", { name: "Name", exact: true })).toBeDisabled();
    await expect(viewer.getByText("Your role can view this but not change it.")).toBeVisible();
    // What is drawn as a switch shows no box of the browser's beside it.
    const boxes = await viewer.getByRole("dialog").getByRole("switch").all();
    expect(boxes.length).toBeGreaterThan(3);
    for (const box of boxes) await expect(box).toHaveCSS("opacity", "0");
    await look(viewer, "viewer-rule");
    await viewer.goto("/keys/apps");
    await expect(viewer.getByText("No connected apps")).toBeVisible();
    await expectNoFault(viewer);
    await viewer.screenshot({ path: picture("connected-apps-none") });
    const usual = viewer.viewportSize() ?? { width: 1440, height: 900 };
    await viewer.setViewportSize({ width: 390, height: 844 });
    await expect
      .poll(() => viewer.evaluate(() => document.documentElement.scrollWidth), { message: "on a phone" })
      .toBe(390);
    await viewer.setViewportSize(usual);
    const screensOf = (page: Page) => page.getByRole("navigation", { name: "Screens" });
    await expect(screensOf(viewer).getByRole("link", { name: "API keys" })).toBeVisible();
    await expect(screensOf(viewer).getByRole("link", { name: "Playground" })).toHaveCount(0);
    await expect(screensOf(owner).getByRole("link", { name: "Playground" })).toHaveCount(1);
    expect(refused).toEqual([]);

    const asked: [string, object][] = [
      ["keys.create", { name: "Mine" }],
      ["keys.update", { hash: made.key, disabled: true }],
      ["keys.remove", { hash: made.key }],
      ["connectedApps.remove", { host: "app.example.eu" }],
      ["routingRules.update", { id: made.rule, enabled: true }],
      ["routingRules.remove", { id: made.rule }],
      ["destinations.update", { id: made.destination, enabled: true }],
      ["destinations.remove", { id: made.destination }],
      ["workspaces.create", { name: "Mine" }],
      ["serviceAccounts.create", { name: "Mine" }],
      ["invitations.create", { email: "friend@example.eu" }],
      ["identity.grantCredits", { amount: 1, reason: "Because" }],
      ["organisation.rename", { name: "Mine" }],
    ];
    for (const [procedure, data] of asked) {
      const answer = await context.request.post(`/api/trpc/${procedure}`, {
        headers: { origin: installation.origin },
        data,
      });
      expect(answer.status(), procedure).toBe(403);
    }
  } finally {
    await context.close();
    await clear(request, made);
  }
});
