import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import type { CatalogueEntry } from "#contract/catalogue-entry.ts";
import { CatalogueEndpoint, CatalogueProvider, ModelWithEndpoints, Offer } from "#contract/catalogue-view.ts";
import type { ProviderProbe } from "#contract/provider-probe.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { type Answers, refusing } from "#test/console/server.ts";
import { OwnEntriesScreen } from "./own-entries-screen.tsx";

const entry: CatalogueEntry = {
  ...{ id: "018f0000-0000-7000-8000-0000000000e1", section: "provider", name: "our-gpu", enabled: true },
  ...{ scope: "organisation", problem: null, overrides: null, entry: { slug: "our-gpu" } },
  ...{ source: null, as_of: null },
  ...{ created_at: "2026-11-20T00:00:00.000Z", updated_at: "2026-11-20T00:00:00.000Z" },
};
const probe: ProviderProbe = {
  ...{ success: true, message: "Found 1 model", base_url: "https://api.lab.example/v1", server: null },
  ...{ auth: "bearer", setting: null },
  models: [{ id: "chat", model: "own/chat", known: false, type: "chat", context_length: null }],
};
const amounts = { prompt: "1", completion: "2", cache_read: null, request: null, searches: null };
const price = {
  ...{ currency: "USD" as const, usd: amounts, eur: amounts },
  ...{ tiers: 0, sources: [], as_of: null, expired: false },
};
const visit = (entries: NonNullable<Answers["catalogueEntries"]> = {}, more: Answers = {}, search = "") =>
  renderConsole(<OwnEntriesScreen />, {
    pathname: "/providers/own",
    search,
    answers: {
      catalogueEntries: {
        list: () => ({ data: [entry], total_count: 120 }),
        probe: () => ({ data: probe }),
        create: () => ({ data: [entry] }),
        ...entries,
      },
      ...more,
    },
  });

describe("the list", () => {
  test("is read page by page, and the server searches", async () => {
    const { server, user } = visit();
    await screen.findByRole("button", { name: /^our-gpu/ });
    expect(server.inputsOf("catalogueEntries.list")).toEqual([{ limit: "50", offset: "0" }]);
    await user.click(screen.getByRole("button", { name: /next/i }));
    await waitFor(() =>
      expect(server.inputsOf("catalogueEntries.list").at(-1)).toEqual({ limit: "50", offset: "50" }),
    );
    await fill(user, screen.getByLabelText("Search"), "gpu");
    await waitFor(() =>
      expect(server.inputsOf("catalogueEntries.list").at(-1)).toEqual({
        ...{ limit: "50", offset: "0", search: "gpu" },
      }),
    );
  });
});

test("fields that are no JSON object cannot be saved, and the form says so", async () => {
  const { server, user } = visit({}, {}, `?open=${entry.id}`);
  const form = within(await screen.findByRole("form", { name: "Catalogue entry" }));
  const save = form.getByRole("button", { name: "Save" });
  expect(save).toHaveProperty("disabled", true);
  await user.type(form.getByLabelText("All fields"), "x");
  expect(form.getByText(/Must be a JSON object/)).toBeDefined();
  expect(save).toHaveProperty("disabled", true);
  await user.type(form.getByLabelText("Source"), "Manual");
  expect(save).toHaveProperty("disabled", true);
  expect(server.inputsOf("catalogueEntries.update")).toEqual([]);
});

describe("a new provider", () => {
  const find = async (user: ReturnType<typeof visit>["user"], credential = "") => {
    const server = within(await screen.findByRole("form", { name: "Server" }));
    await fill(user, server.getByLabelText(/Base URL/), "https://api.lab.example/v1");
    if (credential) await fill(user, server.getByLabelText(/^Credential/), credential);
    await user.click(server.getByRole("button", { name: "Find models" }));
    const form = within(await screen.findByRole("form", { name: "Provider" }));
    await fill(user, form.getByLabelText(/^Name/), "Lab");
    return form;
  };

  test("at a public address has no facts and no price that nobody stated", async () => {
    const { user } = visit({}, {}, "?add=provider");
    const form = await find(user);
    expect(form.getByLabelText(/^Trains on prompts/)).toHaveProperty("value", "unknown");
    expect(form.getByLabelText(/^Retention/)).toHaveProperty("value", "");
    expect(form.getByLabelText("Free")).toHaveProperty("checked", false);
  });

  test("with a wrong price is refused beside the field, before anything is sent", async () => {
    const { server, user } = visit({}, {}, "?add=provider");
    const form = await find(user);
    await fill(user, form.getByLabelText(/^Input/), "0,05");
    await fill(user, form.getByLabelText(/^Output/), "2000000");
    await user.click(form.getByRole("button", { name: "Add provider" }));
    expect(form.getByText(/^Must be a decimal such as "0.15"/)).toBeDefined();
    expect(form.getByText("Must be at most 1000000")).toBeDefined();
    expect(document.activeElement).toBe(form.getByLabelText(/^Input/));
    expect(server.inputsOf("catalogueEntries.create")).toEqual([]);
    await fill(user, form.getByLabelText(/^Input/), "0.05");
    expect(form.queryByText(/^Must be a decimal/)).toBeNull();
    expect(form.getByText("Must be at most 1000000")).toBeDefined();
  });

  test("has the list prices of another provider once they are read, and a failure to read them is shown", async () => {
    const offer = { ...sampleOf(Offer), model: "lab/chat", provider_name: "Rich", price };
    const refuse = refusing("SERVICE_UNAVAILABLE", "The database does not answer");
    let fails = true;
    const catalogue = {
      providers: () => ({ data: [{ ...sampleOf(CatalogueProvider), slug: "rich", name: "Rich" }] }),
      offers: () => (fails ? refuse() : { data: [offer] }),
    };
    const { server, user } = visit({}, { catalogue }, "?add=provider");
    const form = await find(user);
    await user.click(form.getByLabelText("List prices of another provider"));
    await user.click(form.getByRole("combobox", { name: /^Provider/ }));
    await user.click(await screen.findByRole("option", { name: "Rich" }));
    const add = form.getByRole("button", { name: "Add provider" });
    await form.findByText(/The database does not answer/);
    expect(add).toHaveProperty("disabled", true);
    fails = false;
    await user.click(form.getByRole("button", { name: "Try again" }));
    await form.findByText(/^1 of 1 models have a price there/);
    await user.click(add);
    await waitFor(() => expect(server.inputsOf("catalogueEntries.create")).toHaveLength(1));
    expect(server.inputsOf("catalogueEntries.create")[0]).toMatchObject({
      endpoints: [
        {
          model: "lab/chat",
          price: { currency: "USD", input: "1", output: "2", source: "List price of Rich" },
        },
      ],
    });
  });

  test("whose credential is refused is there all the same, and the last step says so", async () => {
    const dryRun = () => ({
      data: {
        ...{ effective_preferences: {}, results: [], rule_applied: null, budgets: [] },
        summary: { total_models: 0, models_with_providers: 0 },
      },
    });
    const answers = {
      byok: { create: refusing("BAD_REQUEST", "key: is not valid") },
      routingRules: { dryRun },
    };
    const { user } = visit({}, answers, "?add=provider");
    const form = await find(user, "secret");
    await fill(user, form.getByLabelText(/^Input/), "1");
    await fill(user, form.getByLabelText(/^Output/), "1");
    await user.click(form.getByRole("button", { name: "Add provider" }));
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("key: is not valid");
    expect(within(alert).getByRole("link", { name: "Credentials" })).toBeDefined();
  });
});

describe("an entry", () => {
  const open = async (stored: CatalogueEntry, more: Answers = {}) => {
    const list = () => ({ data: [stored], total_count: 1 });
    const view = visit({ list, update: () => ({ data: stored }) }, more, `?open=${stored.id}`);
    return { ...view, form: within(await screen.findByRole("form", { name: "Catalogue entry" })) };
  };
  const saved = async ({ user, form, server }: Awaited<ReturnType<typeof open>>) => {
    await user.click(form.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(server.inputsOf("catalogueEntries.update")).toHaveLength(1));
    return (server.inputsOf("catalogueEntries.update")[0] as { entry: object }).entry;
  };

  test("of a model is changed in fields, and keeps what has none", async () => {
    const fields = { id: "own/a", aliases: ["b"], context_length: 1_000 };
    const view = await open({ ...entry, section: "model", name: "own/a", entry: fields });
    await fill(view.user, view.form.getByLabelText("Context (tokens)"), "2000");
    await fill(view.user, view.form.getByLabelText("Ends on"), "2027-01-31");
    expect(await saved(view)).toEqual({ ...fields, context_length: 2_000, expiration_date: "2027-01-31" });
  });

  test("of an endpoint gets an own price, or the list price of another provider", async () => {
    const fields = { provider: "our-gpu", model: "own/a" };
    const offer = { ...sampleOf(CatalogueEndpoint), id: "lab:own/a", provider: "lab", provider_name: "Lab" };
    const view = await open(
      { ...entry, section: "endpoint", name: "our-gpu:own/a", entry: fields },
      { catalogue: { model: () => ({ ...sampleOf(ModelWithEndpoints), endpoints: [{ ...offer, price }] }) } },
    );
    const { user, form } = view;
    await user.selectOptions(form.getByLabelText("Price"), "EUR");
    await fill(user, form.getByLabelText("Input"), "0.5");
    expect(form.getByLabelText<HTMLInputElement>("All fields").value).toContain('"input": "0.5"');
    await user.selectOptions(await form.findByLabelText("Import a price"), "lab:own/a");
    expect(await saved(view)).toEqual({
      ...fields,
      price: { currency: "USD", input: "1", output: "2", source: "List price of Lab" },
    });
  });
});

describe("an override", () => {
  const provider = async (user: ReturnType<typeof visit>["user"]) => {
    const form = within(await screen.findByRole("form", { name: "Override" }));
    await user.selectOptions(form.getByLabelText("Trains on prompts"), "no");
    return form;
  };

  test("sends only what was stated, with its source and day", async () => {
    const { server, user } = visit({}, {}, "?override=mistral");
    const form = await provider(user);
    await fill(user, form.getByLabelText(/^Source/), "Contract");
    await fill(user, form.getByLabelText(/^Checked on/), "2026-11-20");
    await user.click(form.getByRole("button", { name: "Override" }));
    await waitFor(() =>
      expect(server.inputsOf("catalogueEntries.create")).toEqual([
        { providers: [{ slug: "mistral", training: false }], source: "Contract", as_of: "2026-11-20" },
      ]),
    );
  });

  test("that states nothing cannot be sent", async () => {
    const { user } = visit({}, {}, "?override=mistral");
    const form = await provider(user);
    expect(form.getByRole("button", { name: "Override" })).toHaveProperty("disabled", false);
    await user.selectOptions(form.getByLabelText("Trains on prompts"), "");
    expect(form.getByRole("button", { name: "Override" })).toHaveProperty("disabled", true);
  });

  test("changes its facts in fields, and keeps the others", async () => {
    const stored = { ...entry, overrides: "shipped" as const, entry: { slug: "our-gpu", apis: ["chat"] } };
    const update = () => ({ data: stored });
    const { server, user } = visit(
      { list: () => ({ data: [stored], total_count: 1 }), update },
      {},
      `?open=${entry.id}`,
    );
    const form = within(await screen.findByRole("form", { name: "Catalogue entry" }));
    await user.selectOptions(form.getByLabelText("EU-owned"), "yes");
    await user.click(form.getByRole("button", { name: "Save" }));
    await waitFor(() =>
      expect(server.inputsOf("catalogueEntries.update")).toEqual([
        { id: entry.id, entry: { slug: "our-gpu", apis: ["chat"], eu_owned: true }, source: null },
      ]),
    );
  });
});
