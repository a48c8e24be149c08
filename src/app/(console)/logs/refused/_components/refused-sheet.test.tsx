import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import type { Exclusion } from "#contract/exclusion.ts";
import type { RefusalExplanation } from "#contract/refusal-explanation.ts";
import { RefusedRequest } from "#contract/refused-request.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { atNoon } from "#test/console/time.ts";
import { RefusedScreen } from "./refused-screen.tsx";

atNoon();

const keyId = "018f0000-0000-7000-8000-00001234abcd";
const refused: RefusedRequest = {
  ...sampleOf(RefusedRequest, { gaps: "always" }),
  id: "018f0000-0000-7000-8000-0000000000cc",
  api_key_id: keyId,
  message: "No provider meets your rules",
  operation: "chat",
  model: "m/one",
  error_code: "FORBIDDEN",
  http_status: 403,
  count: 1_234,
  last_at: "2026-11-20T11:57:00.000Z",
};

const explanation: RefusalExplanation = {
  ...{ refused_request_id: refused.id, summary: "Both endpoints were excluded.", endpoints: 2 },
  reasons: [
    {
      ...{
        rule_id: "rule",
        set_by: "“EU only”",
        changed_since: true,
        requirements: ["EU ownership"],
        excluded: 2,
        alone: 1,
      },
      rule: {
        ...{ id: "rule", name: "EU only", scope: "org", requirements: ["EU-owned only"] },
        ...{ changed_at: "2026-11-03T09:00:00.000Z", changed_by: "Ada" },
      },
    },
    {
      ...{ rule_id: null, set_by: "the request", rule: null, changed_since: null },
      ...{ requirements: ["price"], excluded: 1, alone: 0 },
    },
  ],
};

interface Options {
  readonly keys?: { id: string; name: string }[];
  readonly search?: string;
}
const show = (more: Partial<RefusedRequest> = {}, { keys = [], search = "" }: Options = {}) =>
  renderConsole(<RefusedScreen />, {
    search,
    pathname: "/logs/refused",
    answers: {
      keys: { names: () => ({ data: keys }) },
      refusedRequests: {
        list: () => ({ data: [{ ...refused, ...more }], total_count: 1 }),
        explanation: () => ({ data: explanation }),
      },
    },
  });
const open = (more: Partial<RefusedRequest> = {}, keys: Options["keys"] = []) =>
  show(more, { keys, search: `?open=${refused.id}` });

const factsOf = async () => {
  const rows = within(await screen.findByRole("table", { name: "Refusal" })).getAllByRole("row");
  return Object.fromEntries(rows.map((row) => [row.children[0]?.textContent, row.children[1]?.textContent]));
};

describe("a row", () => {
  const cells = async () => {
    const opener = await screen.findByRole("button", { name: /^No provider meets/ });
    return within(opener.closest("tr") ?? opener)
      .getAllByRole("cell")
      .map(({ textContent }) => textContent);
  };

  test("shows reason, model, error, field, key, count and age", async () => {
    show({ param: "provider.only" }, { keys: [{ id: keyId, name: "Crawler" }] });
    await waitFor(async () =>
      expect(await cells()).toEqual([
        "No provider meets your rulesm/oneFORBIDDEN · 3 min ago",
        "FORBIDDENprovider.only",
        "Crawler",
        "1,234",
        "3 min ago",
      ]),
    );
  });

  test("without a model has its operation, and of a key that is gone the end of its ID", async () => {
    show({ model: null });
    const [reason, , key] = await cells();
    expect(reason).toContain("ruleschat");
    expect(key).toBe("…1234abcd");
  });
});

describe("the filters", () => {
  test("are asked for once typing pauses, from the first page on", async () => {
    const { user, server, query } = show({}, { search: "?page=2" });
    await screen.findByRole("button", { name: /^No provider meets/ });
    await fill(user, screen.getByLabelText("Error code"), "FORBIDDEN");
    await waitFor(() => expect(query().get("error")).toBe("FORBIDDEN"));
    expect(query().has("page")).toBe(false);
    await waitFor(() =>
      expect(server.inputsOf("refusedRequests.list").at(-1)).toEqual({
        limit: "50",
        offset: "0",
        error_code: "FORBIDDEN",
      }),
    );
  });

  test("name keys in words", async () => {
    const { user, query } = show({}, { keys: [{ id: keyId, name: "Crawler" }] });
    await screen.findByRole("option", { name: "Crawler" });
    await user.selectOptions(screen.getByLabelText("Key"), "Crawler");
    await waitFor(() => expect(query().get("key")).toBe(keyId));
  });
});

describe("the sheet", () => {
  test("opens by its row and stands in the URL until it is closed", async () => {
    const { user, query } = show();
    await user.click(await screen.findByRole("button", { name: /^No provider meets/ }));
    await screen.findByRole("dialog", { name: "No provider meets your rules" });
    expect(query().get("open")).toBe(refused.id);
    await user.keyboard("{Escape}");
    await waitFor(() => expect(query().has("open")).toBe(false));
  });

  test("has the facts of the refusal, and none for what is missing", async () => {
    open({ param: null, model: null, missing_eur: null }, [{ id: keyId, name: "Crawler" }]);
    await waitFor(async () => expect((await factsOf()).Key).toBe("Crawler"));
    const facts = await factsOf();
    expect(facts).toMatchObject({
      Error: "FORBIDDEN",
      "HTTP status": "403",
      Operation: "chat",
      Count: "1,234",
    });
    for (const name of ["Field", "Requested model", "Missing credit"]) expect(facts).not.toHaveProperty(name);
  });

  test("lists the five latest requests, the latest first, each to be copied", async () => {
    open({ request_ids: ["req_1", "req_2", "req_3", "req_4", "req_5", "req_6"] });
    expect((await factsOf())["Latest requests"]).toBe("req_6req_5req_4req_3req_2");
    expect(screen.getAllByRole("button", { name: "Copy request ID" })).toHaveLength(5);
  });

  test("has the metadata as the client got it", async () => {
    const metadata = { needed_eur: "0.5", nested: { a: [1, null] } };
    open({ metadata });
    const block = await screen.findByRole("region", { name: "Error metadata sent to the client" });
    expect(JSON.parse(block.textContent ?? "")).toEqual(metadata);
  });
});

describe("the excluded endpoints", () => {
  const exclusion: Exclusion = {
    ...sampleOf(RefusedRequest.shape.excluded.unwrap().element),
    endpoint: "alpha:m/one",
  };

  test("are listed, below who set the requirements and how much each excludes", async () => {
    open({ excluded: [exclusion, { ...exclusion, endpoint: "beta:m/one" }] });
    const list = await screen.findByRole("list", { name: "Excluded" });
    expect(within(list).getAllByRole("listitem")).toHaveLength(2);
    expect(list.textContent).toContain("alpha:m/one");
    const why = within(await screen.findByRole("region", { name: "Why" }));
    expect(await why.findByText("Both endpoints were excluded.")).toBeTruthy();
    const items = why.getAllByRole("listitem").map(({ textContent }) => textContent);
    expect(items[0]).toMatch(/^EU only: EU-owned onlyfor the organisation, set by Ada on 3 Nov/);
    expect(items[0]).toContain("Excludes 2 of 2 endpoints; 1 of them meets everything else.");
    expect(items[0]).toContain("changed after these requests");
    expect(items[1]).toBe("Set by the request: priceExcludes 1 of 2 endpoints.");
    expect(why.getByRole("link", { name: "EU only" }).getAttribute("href")).toBe("/routing-rules?edit=rule");
  });

  test.each([[null], [[]]])("have no section for %j", async (excluded) => {
    open({ excluded });
    await factsOf();
    expect(screen.queryByRole("region", { name: "Excluded" })).toBeNull();
  });
});
