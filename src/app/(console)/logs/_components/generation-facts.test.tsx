import { screen, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { type GenerationReplay, GenerationDetail as Sheet } from "#contract/generation.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { renderConsole } from "#test/console/render.tsx";
import { Refusal, requestId } from "#test/console/server.ts";
import { GenerationSheet } from "./generation-sheet.tsx";

const id = "018f0000-0000-7000-8000-0000000000cc";
const keyId = "018f0000-0000-7000-8000-00001234abcd";
const bare: Sheet = {
  ...sampleOf(Sheet, { gaps: "always" }),
  id,
  operation: "chat",
  api_key_id: keyId,
  decision: { models: [] },
};
const notStored: GenerationReplay = { operation: "chat", body: {}, content_kept: false, answer: null };

interface Options {
  readonly tab?: string;
  readonly replay?: GenerationReplay | Refusal;
  readonly keys?: { id: string; name: string }[];
}
async function open(more: Partial<Sheet>, { tab, replay = notStored, keys = [] }: Options = {}) {
  const made = renderConsole(
    <GenerationSheet id={id} ids={[id]} onOpen={() => {}} onClose={() => {}} onCompare={() => {}} />,
    {
      answers: {
        keys: { names: () => ({ data: keys }) },
        generations: {
          get: () => ({ ...bare, ...more }),
          replay: () => {
            if (replay instanceof Refusal) throw replay;
            return replay;
          },
        },
      },
    },
  );
  if (tab) await made.user.click(await screen.findByRole("tab", { name: tab }));
  return made;
}

/** The rows of a table of facts, by their names. */
async function factsOf(label: string): Promise<Readonly<Record<string, string>>> {
  const rows = within(await screen.findByRole("table", { name: label })).getAllByRole("row");
  return Object.fromEntries(
    rows.map((row) => [
      within(row).getByRole("rowheader").textContent ?? "",
      within(row).getByRole("cell").textContent ?? "",
    ]),
  );
}

test("what was changed in the fields of a request is named and explained", async () => {
  const parameters = {
    dropped: ["seed", "top_k"],
    translated: [{ from: "top_logprobs", to: "logprobs" }],
    clamped: ["temperature"],
  };
  const tries = [{ endpoint: "a:m", provider: "a", outcome: "ok", status: 200, duration_ms: 1, parameters }];
  await open({ tries, input_modalities: ["image", "file"], output_modalities: [] });
  const facts = await factsOf("Request");
  expect(facts).toMatchObject({
    "Parameters left out": "seed, top_kNot sent, because the endpoint does not support them.",
    "Parameters renamed": "top_logprobs → logprobsSent under the provider's own name.",
    "Parameters limited": "temperatureSent with the nearest value that the endpoint supports.",
    "Content besides text": "image, file",
  });
  expect(facts).not.toHaveProperty("Answer besides text");
});

describe("the attempts", () => {
  const attempt = (endpoint: string, outcome: string, status: number | null, duration_ms: number) => ({
    endpoint,
    provider: "alpha",
    outcome,
    status,
    duration_ms,
  });
  const items = async () => {
    const section = await screen.findByRole("region", { name: "Attempts" });
    return within(section).queryAllByRole("listitem");
  };

  test("are listed in their order, each in a sentence with its duration", async () => {
    await open({
      status: "completed",
      tries: [
        attempt("alpha:m/one", "server_error", 503, 120.4),
        attempt("beta:m/one", "timeout", null, 2_500),
        attempt("gamma:m/one", "ok", 200, 900),
      ],
      duration_ms: 3_600,
    });
    expect((await items()).map(({ textContent }) => textContent)).toEqual([
      "alpha:m/one reported an error (HTTP 503)120 ms",
      "beta:m/one took too long2.50 s",
      "gamma:m/one answered900 ms",
    ]);
  });

  test("are bars that begin where the one before ended, within the whole width", async () => {
    await open({
      tries: [attempt("a", "timeout", null, 250), attempt("b", "ok", 200, 500)],
      duration_ms: 1_000,
    });
    const bars = (await items()).map((item) => {
      const bar = item.querySelector<HTMLElement>("[aria-hidden] > div");
      return [bar?.style.marginInlineStart, bar?.style.width, bar?.dataset.ok];
    });
    expect(bars).toEqual([
      ["0%", "25%", undefined],
      ["25%", "50%", "true"],
    ]);
  });

  test("are none for a request that no provider got", async () => {
    await open({ tries: [] });
    await screen.findByText("No provider was contacted.");
    expect(await items()).toEqual([]);
  });
});

describe("the facts", () => {
  test("name the key, and only the end of the ID of one that is gone", async () => {
    const { unmount } = await open({}, { keys: [{ id: keyId, name: "Crawler" }] });
    await screen.findByText("Crawler");
    unmount();
    await open({});
    expect((await factsOf("Request")).Key).toBe("…1234abcd");
  });

  test("have the times, and no time to the first token without one", async () => {
    const { unmount } = await open({ latency_ms: 950, duration_ms: 12_340 });
    expect(await factsOf("Request")).toMatchObject({
      "Time to first token": "950 ms",
      Duration: "12.3 s",
    });
    unmount();
    await open({ latency_ms: null });
    expect(await factsOf("Request")).not.toHaveProperty("Time to first token");
  });

  test("lead to the other requests of the session", async () => {
    await open({ session_id: "chat & more" });
    const link = await screen.findByRole("link", { name: "chat & more" });
    expect(link.getAttribute("href")).toBe("/logs?find=chat%20%26%20more");
  });

  test.each([
    ["chat", true],
    ["responses", true],
    ["embeddings", false],
  ])("of %s lead to the playground: %s", async (operation, offered) => {
    await open({ operation });
    await factsOf("Request");
    const link = screen.queryByRole("link", { name: "Open in playground" });
    expect(link?.getAttribute("href")).toBe(offered ? `/playground?replay=${id}` : undefined);
  });
});

describe("the usage", () => {
  const usage: Sheet["usage"] = {
    prompt_tokens: 1_234,
    completion_tokens: 0,
    cached_tokens: 1_000,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    search_units: 0,
    estimated: false,
    implausible: false,
  };

  test("has prompt and completion always, and the other counts where there are any", async () => {
    await open({ usage }, { tab: "Cost" });
    expect(await factsOf("Usage")).toEqual({
      "Prompt tokens": "1,234",
      "Completion tokens": "0",
      "Cached tokens": "1,000",
      "Counted by": "The provider",
    });
  });

  test.each([
    [true, false, "Portolan (the provider reported no usage)"],
    [false, true, "Portolan (the provider reported more than the request can use)"],
    [true, true, "Portolan (the provider reported no valid counts)"],
  ])("that is estimated (%s) or implausible (%s) was counted by %s", async (estimated, implausible, text) => {
    await open({ usage: { ...usage, estimated, implausible } }, { tab: "Cost" });
    expect((await factsOf("Usage"))["Counted by"]).toBe(text);
  });
});

describe("the cost", () => {
  const cost: Sheet["cost"] = {
    eur: "0.010000000001",
    usd: "0.011650000000",
    upstream_usd: "0.011650000000",
    details: { prompt: "0.010000000001", cached_prompt: "0.000000000000", per_request: "0.001" },
    details_currency: "EUR",
    price_version: "a1b2c3",
    usd_per_eur: "1.1650",
    rate_date: "2026-11-19",
    is_byok: false,
  };

  test("is exact to the last digit, with its parts, rate and price", async () => {
    await open({ cost }, { tab: "Cost" });
    expect(await factsOf("Cost")).toEqual({
      Charged: "€0.010000000001",
      "Charged in USD": "$0.01165",
      "Provider cost": "$0.01165",
      "· Prompt": "€0.010000000001",
      "· Per request": "€0.001",
      "Exchange rate": "1.1650 USD per EUR, 2026-11-19",
      "Price version": "a1b2c3",
      "Paid with": "Credits",
    });
  });

  test("with an own credential is nothing, beside what the provider charges", async () => {
    await open({ cost: { ...cost, eur: "0", usd: "0", details: {}, is_byok: true } }, { tab: "Cost" });
    expect(await factsOf("Cost")).toMatchObject({
      Charged: "€0.00",
      "Provider cost": "$0.01165",
      "Paid with": "Your own provider account",
    });
  });

  test("without a price version has no row for it", async () => {
    await open({ cost: { ...cost, price_version: null } }, { tab: "Cost" });
    expect(await factsOf("Cost")).not.toHaveProperty("Price version");
  });
});

describe("the content", () => {
  const panel = () => screen.getByRole("tabpanel").textContent;

  test("that was not stored is not shown, and why", async () => {
    await open({}, { tab: "Content" });
    await screen.findByText(/kept only for stored responses/);
  });

  test("of a stored response is its instructions, its items and its answer, in this order", async () => {
    const replay: GenerationReplay = {
      operation: "responses",
      body: {
        instructions: "Be brief",
        input: [
          { role: "user", content: [{ type: "input_text", text: "Question" }] },
          { type: "function_call", name: "look", arguments: "{}" },
        ],
      },
      content_kept: true,
      answer: "Answer",
    };
    await open({}, { tab: "Content", replay });
    await screen.findByText("Answer");
    expect(panel()).toMatch(/^instructionsBe briefYouQuestionfunction call\{.*"look".*\}ModelAnswer$/s);
  });

  test("is asked for only when it is looked at", async () => {
    const { server, user } = await open({});
    await factsOf("Request");
    expect(server.inputsOf("generations.replay")).toEqual([]);
    await user.click(screen.getByRole("tab", { name: "Content" }));
    await screen.findByText(/kept only for stored responses/);
    expect(server.inputsOf("generations.replay")).toEqual([{ id }]);
  });

  test("that cannot be loaded shows why, and the request to name", async () => {
    await open({}, { tab: "Content", replay: new Refusal("SERVICE_UNAVAILABLE", "Try again later") });
    const { textContent } = await screen.findByRole("alert");
    expect(textContent).toContain("Try again later");
    expect(textContent).toContain(requestId);
  });
});
