import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { EndpointFacts } from "#contract/endpoint-facts.ts";
import { Explanation } from "#contract/explanation.ts";
import { GenerationStatus, GenerationDetail as Sheet } from "#contract/generation.ts";
import { Role } from "#contract/permission.ts";
import { GenerationReceipt } from "#contract/transparency-log.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { collectDownloads } from "#test/console/downloads.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import { renderConsole } from "#test/console/render.tsx";
import { Refusal } from "#test/console/server.ts";
import { GenerationSheet } from "./generation-sheet.tsx";

const id = "018f0000-0000-7000-8000-0000000000cc";
const bare: Sheet = {
  ...sampleOf(Sheet.extend({ decision: Sheet.shape.decision }), { gaps: "always" }),
  id,
  decision: { models: [] },
};
const full: Sheet = { ...bare, ...Sheet.parse(sampleOf(Sheet)), id };

const downloads = collectDownloads();

function open(
  generation: Sheet | Refusal,
  role: Role = "owner",
  tab?: string,
  receipt: () => GenerationReceipt | Refusal = () => new Refusal("NOT_FOUND", "None"),
) {
  const made = renderConsole(
    <GenerationSheet id={id} ids={[id]} onOpen={() => {}} onClose={() => {}} onCompare={() => {}} />,
    {
      role,
      answers: {
        keys: { names: () => ({ data: [] }) },
        generations: {
          get: () => {
            if (generation instanceof Refusal) throw generation;
            return generation;
          },
          receipt: () => {
            const found = receipt();
            if (found instanceof Refusal) throw found;
            return found;
          },
          explanation: () => ({
            data: sampleOf(Explanation, { gaps: generation === bare ? "always" : "never" }),
          }),
          replay: () => ({ operation: "chat", body: {}, content_kept: false, answer: null }),
        },
      },
    },
  );
  const show = async (name = tab ?? "") => made.user.click(await screen.findByRole("tab", { name }));
  return { ...made, show };
}
const dialogText = () => screen.getByRole("dialog").textContent ?? "";
/** Texts that JavaScript prints for missing values. */
const leak = /undefined|\bnull\b|NaN|Invalid Date|\[object/;

describe.each([
  ["without anything that may be missing", bare],
  ["with everything there can be", full],
])("a generation %s", (_what, generation) => {
  test.each(["Overview", "Routing", "Cost", "Content"])(
    "is shown under %s without a gap that reads as null",
    async (tab) => {
      const { show } = open(generation);
      await show(tab);
      await waitFor(() => expect(screen.getByRole("tabpanel").textContent).not.toBe(""));
      expect(dialogText()).not.toMatch(leak);
    },
  );
});

describe("a request that failed", () => {
  const tried = (outcome: string, status: number | null) => ({
    ...{ endpoint: "acme:m", provider: "acme", outcome, status, duration_ms: 900 },
  });
  const failed = { ...bare, status: "failed", error_code: "PROVIDER_ERROR", endpoint: "acme:m" } as const;

  test("after its stream had begun shows that the provider served a part of it, and no good attempt", async () => {
    open({ ...failed, tries: [tried("ok", 200)], duration_ms: 900 });
    const attempts = await screen.findByRole("region", { name: "Attempts" });
    const item = within(attempts).getByRole("listitem");
    expect(item.textContent).toBe("acme:m began to answer, then broke off (PROVIDER_ERROR)900 ms");
    expect(item.querySelector("[data-ok]")).toBeNull();
    screen.getByRole("row", { name: "Partly served by acme:m" });
  });

  test("because nobody served it names who was tried last", async () => {
    open({ ...failed, tries: [tried("timeout", null)] });
    await screen.findByRole("row", { name: "Last tried acme:m" });
    expect(screen.queryByText("Served by")).toBeNull();
  });
});

describe("the receipt", () => {
  const proof = ["c2sp.org/tlog-proof@v1", "index 7", "", "portolan.test/transparency/x", "1200", "root", ""];
  const fact = { sources: [{ title: "Its contract", url: null }], as_of: "2026-11-01", confidence: "high" };
  const facts = {
    ...sampleOf(EndpointFacts),
    endpoint: "acme-fr:acme/chat",
    retention_days: { ...fact, value: 30, expires_at: "2026-11-30" },
    training: { ...fact, value: false, expires_at: null },
  };
  const receipt: GenerationReceipt = {
    ...sampleOf(GenerationReceipt),
    record: JSON.stringify({
      destinations: [
        { content: "sent", id: "d-1", residency: "de" },
        { certain: false, content: "none", id: "0000-deleted0", residency: null },
      ],
      request_digest: "\\x00",
    }),
    today: {
      destinations: [{ id: "d-1", name: "Traces", type: "webhook" }],
      ...{ record_until: null, content_until: "2026-12-15T12:00:00.000Z" },
    },
    proof: proof.join("\n"),
    facts: [JSON.stringify(facts)],
  };
  const tried = (endpoint: string) => ({
    ...{ endpoint, provider: "acme", outcome: "ok", status: 200, duration_ms: 5 },
  });
  const sent = (started_at: string): Sheet => ({
    ...bare,
    started_at,
    tries: [tried("acme-fr:acme/chat"), tried("older:acme/chat")],
  });

  test("shows what was known of each provider when the request was sent, and its place in the log", async () => {
    const { show } = open(sent("2026-11-15T12:00:00.000Z"), "owner", "Receipt", () => receipt);
    await show();
    const known = within(await screen.findByRole("region", { name: "acme-fr:acme/chat" }));
    const retention = known.getByRole("row", { name: /^Retention 30-day retention/ }).textContent;
    expect(retention).toContain("Its contract");
    expect(retention).not.toContain("Expired on");
    const unknown = within(screen.getByRole("region", { name: "older:acme/chat" }));
    unknown.getByText("What was known of it was not recorded.");
    screen.getByRole("row", { name: "Entry 7 of 1,200" });
    screen.getByRole("row", { name: "Transparency log portolan.test/transparency/x" });
  });

  test("shows where its trace went, what it has digests of, and until when what is stored", async () => {
    const { show } = open(sent("2026-11-15T12:00:00.000Z"), "owner", "Receipt", () => receipt);
    await show();
    const { getByRole } = within(await screen.findByRole("region", { name: "Destinations" }));
    getByRole("row", { name: "Traces With content, stores in Germany" });
    getByRole("row", {
      name: "destination …deleted0 (deleted) Without content and user, place of storage unknown, if its filters let it pass",
    });
    screen.getByRole("row", { name: "Digests of request and answer in the receipt" });
    screen.getByRole("row", { name: "Record is deleted never" });
    screen.getByRole("row", { name: /^Prompt and answer stored here until 15 Dec 2026/ });
  });

  test("says which facts were out of date then, not which are today", async () => {
    const { show } = open(sent("2026-12-01T00:00:00.000Z"), "owner", "Receipt", () => receipt);
    await show();
    await screen.findByText("Expired on 2026-11-30 (treated as unknown)");
  });

  test("is saved as a file that verify.mjs reads", async () => {
    const { show, user } = open(full, "owner", "Receipt", () => receipt);
    await show();
    await user.click(await screen.findByRole("button", { name: "Download receipt" }));
    await waitFor(() => expect(downloads).toHaveLength(1));
    expect(downloads[0]?.name).toBe(`receipt-${id}.json`);
    expect(JSON.parse((await downloads[0]?.text()) ?? "")).toEqual(receipt);
  });

  test("that does not exist yet is explained, and can be asked for again", async () => {
    const wait = "The request is not in the transparency log yet.";
    const answers = [new Refusal("NOT_FOUND", wait)];
    const { show, user } = open(full, "owner", "Receipt", () => answers.shift() ?? receipt);
    await show();
    await screen.findByText(wait);
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findByRole("button", { name: "Download receipt" });
  });
});

test("the record is shown as JSON, unchanged", async () => {
  const { show } = open(full, "owner", "JSON");
  await show();
  expect(JSON.parse(screen.getByRole("tabpanel").querySelector("pre")?.textContent ?? "")).toEqual(full);
});

test.each(GenerationStatus.options)("a generation that is %s shows its status and error", async (status) => {
  open({ ...bare, status, error_code: "PROVIDER_ERROR", http_status: 502 });
  await screen.findByRole("tab", { name: "Overview" });
  expect(dialogText()).toContain(status);
  expect(dialogText()).toContain("PROVIDER_ERROR");
  expect(dialogText()).toContain("502");
});

test("a generation that cannot be loaded shows why", async () => {
  open(new Refusal("NOT_FOUND", "No such generation"));
  expect((await screen.findByRole("alert")).textContent).toContain("No such generation");
});

describe.each(Role.options)("a person who is %s", (role) => {
  const may = permissionsOf(role).has("inference:use");
  test(`${may ? "can" : "cannot"} see the content, and send it again`, async () => {
    open({ ...bare, operation: "chat" }, role);
    await screen.findByRole("tab", { name: "Overview" });
    await waitFor(() => expect(screen.queryByRole("tab", { name: "Content" }) !== null).toBe(may));
    expect(screen.queryByRole("link", { name: /playground/i }) !== null).toBe(may);
  });
});

test("the cost is shown to its last digit, each part in its currency", async () => {
  const cost = {
    ...bare.cost,
    eur: "0.000000123400",
    usd: "1.5",
    upstream_usd: "0",
    details: { prompt: "0.0001", completion: "0" },
    details_currency: "USD" as const,
  };
  const { show } = open({ ...bare, cost }, "owner", "Cost");
  await show();
  const facts = screen.getByRole("table", { name: "Cost" }).textContent ?? "";
  expect(facts).toContain("€0.0000001234");
  expect(facts).toContain("$1.50");
  expect(facts).toContain("Prompt$0.0001");
  expect(facts).not.toContain("Completion");
});
