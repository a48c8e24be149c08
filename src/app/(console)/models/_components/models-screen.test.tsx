import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import type { CatalogueModel } from "#contract/catalogue-view.ts";
import { ListedModel, type ModelPricing } from "#contract/models.ts";
import { Provider } from "#contract/provider.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { type Answers, never, Refusal, requestId } from "#test/console/server.ts";
import { ModelsScreen } from "./models-screen.tsx";

const model = (id: string, more: Partial<CatalogueModel> = {}): CatalogueModel => ({
  id,
  name: id,
  type: "chat",
  description: null,
  context_length: 128_000,
  open_weights: null,
  providers: ["alpha"],
  usable_endpoints: 1,
  endpoint_count: 2,
  deprecation_date: null,
  expiration_date: null,
  successor: null,
  cheapest: { eur: "1.000000000000", usd: "1.165000000000" },
  ...more,
});

const models = [
  model("a/large", {
    name: "Large Model",
    usable_endpoints: 3,
    endpoint_count: 4,
    context_length: 1_000_000,
  }),
  model("b/small", { cheapest: { eur: "0.085837000000", usd: "0.100000000000" }, context_length: null }),
  model("c/embed", { type: "embeddings", usable_endpoints: 0, providers: ["beta"], cheapest: null }),
  model("d/rank", { type: "rerank", usable_endpoints: 2, cheapest: { eur: "0.0", usd: "0.0" } }),
];
const rankPricing = (more: Partial<ModelPricing>): ModelPricing => ({
  currency: "USD",
  prompt: "0",
  completion: "0",
  request: "0",
  search_unit: "0.002",
  ...more,
});

interface Options {
  readonly search?: string;
  readonly pricing?: ModelPricing | null;
  readonly catalogue?: Answers["catalogue"];
}
const show = ({ search = "", pricing = rankPricing({}), catalogue = {} }: Options = {}) =>
  renderConsole(<ModelsScreen />, {
    search,
    pathname: "/models",
    answers: {
      catalogue: { models: () => ({ data: models }), ...catalogue },
      providers: { list: () => ({ data: [{ ...sampleOf(Provider), slug: "beta", name: "Beta AI" }] }) },
      models: {
        list: () => ({
          ...{ object: "list" as const, total_count: 1, links: { next: null } },
          data: [{ ...sampleOf(ListedModel), id: "d/rank", pricing }],
        }),
      },
    },
  });

/** The cells of the rows, in their order. */
async function rows(): Promise<(string | null)[][]> {
  await waitFor(() =>
    expect(screen.getByRole("region", { name: "Models" }).getAttribute("aria-busy")).toBe("false"),
  );
  return within(screen.getByRole("table", { name: "Models" }))
    .getAllByRole("row")
    .slice(1)
    .map((row) => [...row.children].map(({ textContent }) => textContent));
}

describe("a model", () => {
  test("has its name, type, context, endpoints and lowest price in both currencies", async () => {
    show();
    await waitFor(async () =>
      expect(await rows()).toEqual([
        ["a/largeLarge Model", "chat", "1m", "3 of 4", "€1.00$1.17"],
        ["d/rank", "rerank", "128k", "2 of 2", "$2.00per 1,000 searches"],
        ["b/small", "chat", "–", "1 of 2", "€0.0858$0.10"],
        ["c/embed", "embeddings", "128k", "0 of 2", "–"],
      ]),
    );
  });

  test.each([
    [rankPricing({}), "$2.00per 1,000 searches"],
    [rankPricing({ currency: "EUR", search_unit: "0.0015" }), "€1.50per 1,000 searches"],
    [rankPricing({ search_unit: undefined }), "–"],
    [null, "–"],
  ])("that is paid for by search has the price of a thousand: %j", async (pricing, text) => {
    show({ pricing });
    await waitFor(async () => {
      const found = (await rows()).find(([name]) => name === "d/rank");
      expect(found?.at(-1)).toBe(text);
    });
  });
});

describe("the filters", () => {
  test.each([
    ["", ["a/large", "d/rank", "b/small", "c/embed"]],
    ["?find=LARGE", ["a/large"]],
    ["?find=large+model", ["a/large"]],
    ["?find=b%2F", ["b/small"]],
    ["?type=embeddings", ["c/embed"]],
    ["?provider=beta", ["c/embed"]],
    ["?use=now", ["a/large", "d/rank", "b/small"]],
    ["?use=now&type=chat&find=small", ["b/small"]],
  ])("of the URL %s leave %j", async (search, found) => {
    show({ search });
    expect((await rows()).map(([name]) => name?.replace("Large Model", ""))).toEqual(found);
  });

  test("offer the types that there are, and providers by name", async () => {
    show();
    await rows();
    const options = (label: string) =>
      [...screen.getByLabelText<HTMLSelectElement>(label).options].map(({ text }) => text);
    expect(options("Type")).toEqual(["Any type", "chat", "embeddings", "rerank"]);
    await waitFor(() => expect(options("Provider")).toEqual(["Any provider", "Beta AI"]));
    expect(options("Availability")).toEqual(["All models", "Available now"]);
  });

  test("that are typed or chosen stand in the URL, and can be cleared", async () => {
    const { user, query } = show();
    await rows();
    await fill(user, screen.getByLabelText("Search"), "nothing like it");
    await user.selectOptions(screen.getByLabelText("Type"), "chat");
    await waitFor(() =>
      expect(Object.fromEntries(query())).toEqual({ find: "nothing like it", type: "chat" }),
    );
    await user.click(await screen.findByRole("button", { name: "Clear filters" }));
    expect(await rows()).toHaveLength(4);
  });
});

describe("sorting", () => {
  test.each([
    ["model", ["a/large", "b/small", "c/embed", "d/rank"]],
    ["-model", ["d/rank", "c/embed", "b/small", "a/large"]],
    ["price", ["b/small", "a/large", "c/embed", "d/rank"]],
    ["-price", ["a/large", "b/small", "c/embed", "d/rank"]],
    ["-context", ["a/large", "c/embed", "d/rank", "b/small"]],
    ["endpoints", ["c/embed", "b/small", "d/rank", "a/large"]],
  ])("by %s; a model without a token price stands last either way", async (sort, found) => {
    show({ search: `?sort=${sort}` });
    expect((await rows()).map(([name]) => name?.replace("Large Model", ""))).toEqual(found);
  });

  test("is changed by the header and stands in the URL", async () => {
    const { user, query } = show();
    await rows();
    const header = screen.getByRole("columnheader", { name: /per 1M tokens/ });
    await user.click(within(header).getByRole("button"));
    await waitFor(() => expect(query().get("sort")).toBe("price"));
    expect(header.getAttribute("aria-sort")).toBe("ascending");
  });
});

describe("the list", () => {
  test("is busy until it is there", () => {
    show({ catalogue: { models: never } });
    expect(screen.getByRole("region", { name: "Models" }).getAttribute("aria-busy")).toBe("true");
  });

  test("without a model says so", async () => {
    show({ catalogue: { models: () => ({ data: [] }) } });
    await screen.findByText("The catalogue contains no models.");
  });

  test("that cannot be loaded shows why, and can be asked again", async () => {
    let failing = true;
    const { user } = show({
      catalogue: {
        models: () => {
          if (failing) throw new Refusal("SERVICE_UNAVAILABLE", "Try again later");
          return { data: models };
        },
      },
    });
    const { textContent } = await screen.findByRole("alert");
    expect(textContent).toContain("Try again later");
    expect(textContent).toContain(requestId);
    failing = false;
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await rows()).toHaveLength(4);
  });

  test("opens a model by its row, and the URL names it", async () => {
    const answer = {
      model: models[1] ?? model("b/small"),
      endpoints: [],
      rate: { usd_per_eur: "1.165", date: "2026-11-19" },
    };
    const { user, server, query } = show({ catalogue: { model: () => answer } });
    await rows();
    await user.click(screen.getByRole("button", { name: "b/small" }));
    await screen.findByRole("dialog", { name: /^b\/small/ });
    expect(query().get("open")).toBe("b/small");
    expect(server.inputsOf("catalogue.model")).toEqual([{ id: "b/small" }]);
    await user.keyboard("{Escape}");
    await waitFor(() => expect(query().has("open")).toBe(false));
  });
});
