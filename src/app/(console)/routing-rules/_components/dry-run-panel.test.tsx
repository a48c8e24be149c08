import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { CatalogueModel } from "#contract/catalogue-view.ts";
import type { Exclusion } from "#contract/exclusion.ts";
import type { DryRunResult } from "#contract/routing-rule.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { renderConsole } from "#test/console/render.tsx";
import { type Answers, never, Refusal, requestId } from "#test/console/server.ts";
import { type Draft, newDraft } from "./draft.ts";
import { DryRunPanel } from "./dry-run-panel.tsx";
import { useDryRun } from "./use-dry-run.ts";

type ModelResult = DryRunResult["results"][number];

const exclusion = (model: string, provider: string, field: string): Exclusion => {
  const refusal = { field, wanted: ["eu"], actual: ["US"], set_by: { scope: "org" as const } };
  return {
    ...refusal,
    provider,
    endpoint: `${provider}:${model}`,
    excluded_by: field,
    refusals: [refusal],
  };
};
const servable = (model: string, ...providers: string[]): ModelResult => ({
  model,
  provider_count: providers.length,
  providers,
  endpoints: providers.map((provider) => `${provider}:${model}`),
  excluded: [],
  parameter_changes: [],
  order: null,
  facts: [],
  reason: null,
});
const refused = (model: string, field: string): ModelResult => ({
  ...servable(model),
  excluded: [exclusion(model, "acme", field)],
  reason: { code: "constraint_filtered", message: "Every endpoint is excluded." },
});
const answered = (...results: ModelResult[]) => ({
  data: {
    effective_preferences: {},
    results,
    rule_applied: null,
    summary: { total_models: results.length, models_with_providers: 0 },
  },
});

type DryRun = NonNullable<NonNullable<Answers["routingRules"]>["dryRunDraft"]>;
function Panel({ draft }: { draft: Draft }) {
  return <DryRunPanel draft={draft} dryRun={useDryRun(draft, null)} />;
}
const show = (dryRunDraft: DryRun, draft: Partial<Draft> = {}) =>
  renderConsole(<Panel draft={{ ...newDraft, name: "EU only", ...draft }} />, {
    answers: {
      catalogue: {
        models: () => ({
          data: ["acme/large", "acme/small"].map((id) => ({ ...sampleOf(CatalogueModel), id })),
        }),
      },
      routingRules: { dryRunDraft },
    },
  });
const panel = async () => within(await screen.findByRole("region", { name: "Dry run" }));

describe("what is tried", () => {
  test("is the draft with the models of the catalogue, though it has no name yet", async () => {
    const provider = { data_residency: "eu" };
    const { server } = show(() => answered(servable("acme/large", "acme")), { name: " ", provider });
    await panel();
    expect(server.inputsOf("routingRules.dryRunDraft")).toMatchObject([
      { rule: { name: "this rule", scope: "org", provider }, rule_id: null, model: null },
    ]);
    expect(await screen.findByRole("option", { name: "acme/small" })).toBeTruthy();
    expect(screen.getByRole("option", { name: "All models" })).toBeTruthy();
  });

  test("is one model when it is chosen", async () => {
    const { user, server } = show(() => answered(servable("acme/small", "acme")));
    await user.selectOptions(
      screen.getByLabelText(/^Test with/),
      await screen.findByRole("option", { name: "acme/small" }),
    );
    await waitFor(() =>
      expect(server.inputsOf("routingRules.dryRunDraft").at(-1)).toMatchObject({ model: "acme/small" }),
    );
  });

  test("are the models of the rule where it has some", () => {
    show(() => answered(), { models: ["nemo/one"] });
    const options = within(screen.getByLabelText(/^Test with/)).getAllByRole("option");
    expect(options.map((option) => option.textContent)).toEqual(["Models of the rule", "nemo/one"]);
  });

  test("is a request of text, or with images and files where they are chosen", async () => {
    const { user, server } = show(() => answered(refused("acme/small", "input_modalities")));
    await panel();
    expect(server.inputsOf("routingRules.dryRunDraft")).toMatchObject([
      { input_modalities: null, parameters: null },
    ]);
    await user.click(screen.getByRole("combobox", { name: "Content of the request" }));
    await user.click(await screen.findByRole("option", { name: /^Files/ }));
    await user.click(await screen.findByRole("option", { name: "Images" }));
    await waitFor(() =>
      expect(server.inputsOf("routingRules.dryRunDraft").at(-1)).toMatchObject({
        input_modalities: ["image", "file"],
      }),
    );
  });

  test("are the parameters that are found by their name or by what they are for", async () => {
    const { user, server } = show(() => answered(servable("acme/large", "acme")));
    await panel();
    const field = screen.getByRole("combobox", { name: "Parameters of the request" });
    for (const [search, name] of [
      ["json schema", /^structured_outputs/],
      ["top k", /^top_k/],
    ] as const) {
      await user.type(field, search);
      // Asked for anew each time, because a list that closes is replaced.
      await waitFor(() => {
        const list = screen.getByRole("listbox", { name: "Parameters of the request" });
        expect(within(list).getAllByRole("option")).toHaveLength(1);
      });
      await user.click(screen.getByRole("option", { name }));
    }
    await waitFor(() =>
      expect(server.inputsOf("routingRules.dryRunDraft").at(-1)).toMatchObject({
        parameters: ["structured_outputs", "top_k"],
      }),
    );
  });

  test("is nothing before it is chosen what the rule applies to", async () => {
    const { server } = show(() => answered(), { scope: "api_key" });
    expect(screen.getByText("Choose what the rule applies to first.")).toBeTruthy();
    // The catalogue is asked for at the same time.
    await screen.findByRole("option", { name: "acme/small" });
    expect(server.inputsOf("routingRules.dryRunDraft")).toEqual([]);
  });
});

describe("the result", () => {
  test("counts the models that can be served, and lists their providers in order", async () => {
    show(() => answered(servable("acme/large", "zeta", "acme"), refused("acme/small", "data_residency")));
    expect((await panel()).getByRole("status").textContent).toBe("1 of 2 models can be served");
    const providers = within(
      (await panel()).getByRole("list", { name: "Providers of acme/large, in order" }),
    );
    expect(providers.getAllByRole("listitem").map((item) => item.textContent)).toEqual(["zeta", "acme"]);
    expect((await panel()).getByText("2 providers")).toBeTruthy();
  });

  test("says of a model without a provider why, and which endpoints were excluded", async () => {
    show(() => answered(refused("acme/small", "data_residency")));
    expect((await panel()).getByRole("status").textContent).toBe("0 of 1 model can be served");
    expect((await panel()).getByText("No eligible provider")).toBeTruthy();
    expect((await panel()).getByText("Every endpoint is excluded.")).toBeTruthy();
    const excluded = within((await panel()).getByRole("list", { name: "Excluded for acme/small" }));
    expect(excluded.getByRole("listitem").textContent).toContain("acme");
  });

  test("shows country, price and retention of every endpoint, how they are ordered, and what is in effect", async () => {
    const words = {
      retention: "not stored",
      price: { currency: "EUR" as const, input: "0.15", output: "1.2" },
    };
    const { data } = answered({
      ...servable("acme/large", "zeta", "acme"),
      ...{ order: "The lowest price first.", excluded: [exclusion("acme/large", "us", "data_residency")] },
      facts: [
        { endpoint: "zeta:acme/large", place: "France", ...words },
        { endpoint: "acme:acme/large", place: "Germany", ...words, price: null },
        { endpoint: "us:acme/large", place: "United States", ...words, retention: "30 days" },
      ],
    });
    show(() => ({ data: { ...data, effective_preferences: { eu_owned: true, max_retention_days: 0 } } }));
    expect((await panel()).getByText(/^In effect, .*EU-owned only; zero data retention$/)).toBeTruthy();
    expect((await panel()).getByText("The lowest price first.")).toBeTruthy();
    const textsOf = async (name: string) =>
      within((await panel()).getByRole("list", { name }))
        .getAllByRole("listitem")
        .map(({ textContent }) => textContent);
    expect(await textsOf("Providers of acme/large, in order")).toEqual([
      "zetaFrance · €0.15 / €1.20 · retention: not stored",
      "acmeGermany · retention: not stored",
    ]);
    expect(await textsOf("Excluded for acme/large")).toEqual([
      expect.stringMatching(/^usUnited States · €0.15 \/ €1.20 · retention: 30 days/),
    ]);
  });

  test("says for each provider which parameters are sent, renamed, limited or left out", async () => {
    const noLimit = { min: null, max: null, values: null, without_reasoning: false };
    const { user } = show(() =>
      answered({
        ...servable("acme/large", "acme", "zeta"),
        parameter_changes: [
          {
            endpoint: "acme:acme/large",
            dropped: ["seed"],
            translated: [{ from: "top_logprobs", to: "logprobs" }],
            limited: [
              { ...noLimit, name: "temperature", max: 1 },
              { ...noLimit, name: "top_p", without_reasoning: true },
              { ...noLimit, name: "service_tier", values: ["auto", "flex"] },
            ],
          },
        ],
      }),
    );
    const list = within((await panel()).getByRole("list", { name: "Providers of acme/large, in order" }));
    expect(list.queryByText("Sent:")).toBeNull();
    const field = screen.getByRole("combobox", { name: "Parameters of the request" });
    for (const name of ["seed", "top_logprobs", "temperature"]) {
      await user.type(field, name);
      await user.click(await screen.findByRole("option", { name: new RegExp(`^${name}`) }));
    }
    await waitFor(() => {
      const [acme, zeta] = list.getAllByRole("listitem").map(({ textContent }) => textContent);
      expect(acme).toBe(
        "acmeSent: temperatureRenamed: top_logprobs → logprobs" +
          "Limited: temperature (at most 1), top_p (only with reasoning off), service_tier (only auto, flex)" +
          "Left out: seed",
      );
      expect(zeta).toBe("zetaSent: seed, top_logprobs, temperature");
    });
  });

  test("counts models without any credential apart: no rule could change that", async () => {
    show(() => answered(servable("acme/large", "acme"), refused("acme/small", "no_credential")));
    expect((await panel()).getByRole("status").textContent).toBe("1 of 1 model can be served");
    expect((await panel()).getByText("1 more has no provider with a credential.")).toBeTruthy();
    expect((await panel()).queryByText("acme/small")).toBeNull();
  });

  test("shows the endpoints of three models at once, and of more on demand", async () => {
    const isOpen = async () =>
      (await panel()).getAllByText(/^1 provider$/).map((text) => text.closest("details")?.open);
    const { unmount } = show(() => answered(...["a", "b", "c"].map((model) => servable(model, "acme"))));
    expect(await isOpen()).toEqual([true, true, true]);
    unmount();
    show(() => answered(...["a", "b", "c", "d"].map((model) => servable(model, "acme"))));
    expect(await isOpen()).toEqual([false, false, false, false]);
  });

  test("that failed names the request and can be tried again", async () => {
    let failing = true;
    const { user } = show(() => {
      if (failing) throw new Refusal("SERVICE_UNAVAILABLE", "The database is restarting");
      return answered(servable("acme/large", "acme"));
    });
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("The database is restarting");
    expect(alert.textContent).toContain(requestId);
    failing = false;
    await user.click(within(alert).getByRole("button", { name: "Try again" }));
    expect((await panel()).getByRole("status").textContent).toBe("1 of 1 model can be served");
  });

  test("is not there while it is computed", () => {
    show(never);
    expect(screen.queryByRole("region", { name: "Dry run" })).toBeNull();
    expect(screen.queryByRole("status")).toBeNull();
  });
});
