import type { APIRequestContext, Page } from "@playwright/test";
import { expect, test } from "../support/console.ts";
import { startExampleApp } from "../support/example-app.ts";
import { type Hand, handOf, hands } from "../support/hands.ts";
import { installation } from "../support/installation.ts";
import { withVllm } from "../support/own-vllm.ts";

const vllmOrigin = withVllm();

const clicksMax = 4;
const headers = { authorization: `Bearer ${installation.apiKey}` };

interface Task {
  readonly prepare?: (request: APIRequestContext) => Promise<unknown>;
  /** Ends when the page shows that the task is done. `name` is for what is made. */
  readonly run: (page: Page, hand: Hand, name: string) => Promise<void>;
}

/** A field of a dialog by its label, which may end with the mark of required fields. */
const field = (page: Page, name: string) =>
  page.getByRole("dialog").getByLabel(new RegExp(`^${name}(\\s*\\*)?$`));
const button = (page: Page, name: string) =>
  page.getByRole("dialog").getByRole("button", { name, exact: true });

const refuse = (request: APIRequestContext) =>
  request.post("/api/v1/completions", {
    headers,
    data: { model: "sandbox/chat", prompt: "Hello", max_tokens: 4, provider: { data_residency: "at" } },
  });

/** What people come for most. */
const tasks: Record<string, Task> = {
  "a first request": {
    run: async (page, hand) => {
      await hand.find("Playground");
      await hand.type(page.getByLabel("Message"), "Say hello.");
      await hand.press(page.getByRole("button", { name: "Run" }));
      await expect(page.getByRole("button", { name: "Why this provider" })).toBeVisible();
    },
  },
  "a provider credential": {
    run: async (page, hand, name) => {
      await hand.find("Add a provider credential");
      await hand.pick(field(page, "Provider"), "Mistral AI");
      await hand.type(field(page, "Name"), name);
      await hand.type(field(page, "API key"), "a-credential-of-ours");
      await hand.press(button(page, "Add"));
      await expect(page.getByRole("row", { name: new RegExp(name) })).toBeVisible();
    },
  },
  "an own provider": {
    run: async (page, hand, name) => {
      await hand.find("Add a provider");
      await hand.type(field(page, "Base URL"), vllmOrigin());
      await hand.press(button(page, "Find models"));
      await hand.type(page.getByRole("form", { name: "Provider" }).getByLabel("Name"), name);
      await hand.press(button(page, "Add provider"));
      await expect(page.getByText(`${name} is added.`)).toBeVisible();
    },
  },
  "a rule with its dry run": {
    run: async (page, hand, name) => {
      await hand.find("Create a routing rule");
      await hand.type(field(page, "Name"), name);
      await hand.choose(field(page, "Inference runs in"), "The EU");
      await expect(page.getByRole("region", { name: "Dry run" })).toContainText(/can be served/);
      await hand.press(button(page, "Create"));
      await expect(page.getByRole("row", { name: new RegExp(name) })).toBeVisible();
    },
  },
  "a destination": {
    run: async (page, hand, name) => {
      await hand.find("Add a destination");
      await hand.type(field(page, "Search"), "webhook");
      await hand.press(page.getByRole("dialog").getByRole("button", { name: /^Webhook/ }));
      await hand.type(field(page, "Name"), name);
      await hand.type(page.getByRole("dialog").getByLabel("Address"), "https://traces.example.eu/portolan");
      await hand.press(button(page, "Create"));
      await expect(page.getByRole("table", { name: "Destinations" })).toContainText(name);
    },
  },
  "a key with a limit": {
    run: async (page, hand, name) => {
      await hand.find("Create an API key");
      await hand.type(field(page, "Name"), name);
      await hand.type(field(page, "Spending limit in euros"), "25");
      await hand.press(button(page, "Create"));
      await expect(page.getByText("You will not see this key again")).toBeVisible();
    },
  },
  "why a request was refused": {
    prepare: refuse,
    run: async (page, hand) => {
      await hand.find("Refused requests");
      const row = page.getByRole("row", { name: /No provider meets the rules/ }).first();
      await row.waitFor({ timeout: 30_000 });
      await hand.press(row.getByRole("button").first());
      await expect(page.getByRole("list", { name: "Excluded" })).toContainText("set by the request");
    },
  },
  "this month's cost": {
    run: async (page, hand) => {
      await hand.find("Usage and credits");
      await page.waitForURL(/\/usage/);
      await hand.choose(page.getByLabel("Range", { exact: true }), "This month");
      await expect(page).toHaveURL(/range=month/);
      await expect(page.getByRole("region", { name: "Daily usage" })).toBeVisible();
    },
  },
  "an invitation": {
    run: async (page, hand, name) => {
      await hand.find("Invite a member");
      await hand.type(field(page, "E-mail"), `${name.toLowerCase().replaceAll(" ", "-")}@example.eu`);
      await hand.press(button(page, "Send invitation"));
      await expect(page.getByRole("dialog", { name: "Invitation created" })).toBeVisible();
    },
  },
};

/** Rules bind the requests of other tests: none may stay. */
test.afterEach(async ({ page, request }) => {
  // It may still ask for what is deleted here, which would be an error in its log.
  await page.close();
  const rules = await (await request.get("/api/v1/routing-rules?include_disabled=1", { headers })).json();
  for (const { id } of rules.data) await request.delete(`/api/v1/routing-rules/${id}`, { headers });
});

for (const hand of hands) {
  test.describe(`by ${hand}`, () => {
    test.use(hand === "phone" ? { viewport: { width: 390, height: 844 }, hasTouch: true } : {});

    for (const [title, { prepare, run }] of Object.entries(tasks)) {
      test(`${title} takes at most ${clicksMax} clicks`, async ({ consolePage: page, request }) => {
        await prepare?.(request);
        await page.goto("/overview");
        const counted = handOf(page, hand);
        await run(page, counted, `By ${hand}`);
        test.info().annotations.push({ type: "clicks", description: String(counted.clicks()) });
        expect(counted.clicks()).toBeLessThanOrEqual(clicksMax);
      });
    }

    test("the consent to an app takes one click", async ({ consolePage: page }) => {
      const app = await startExampleApp(installation.origin);
      try {
        await page.goto(app.origin);
        await page.getByRole("button", { name: "Connect" }).click();
        const counted = handOf(page, hand);
        await counted.press(page.getByRole("button", { name: "Allow" }));
        await expect(page.locator("#result")).toContainText('"status":200');
        expect(counted.clicks()).toBe(1);
      } finally {
        await app.close();
      }
    });
  });
}
