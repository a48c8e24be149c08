import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { DataFlowReport, DataFlowRequest } from "#contract/data-flows.ts";
import { EvidencePackage } from "#contract/evidence-package.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { collectDownloads } from "#test/console/downloads.ts";
import { renderConsole } from "#test/console/render.tsx";
import { Refusal, requestId } from "#test/console/server.ts";
import { DataFlowsScreen } from "./data-flows-screen.tsx";
import { recipientId } from "./recipients.tsx";

const downloads = collectDownloads();
const bare: DataFlowReport = {
  ...sampleOf(DataFlowReport, { gaps: "always" }),
  ...{ requests: 3, records_from: null, unrecorded: 0, unsent: 0 },
  ...{ recipients: [], api_keys: [], people: [], destinations: [] },
  end_users: { count: 0, unnamed: 3, data: [] },
};
const recipient: DataFlowReport["recipients"][number] = {
  ...sampleOf(DataFlowReport.shape.recipients.element, { gaps: "always" }),
  ...{ name: "Provider A", endpoint: "a:m", requests: 5, answered: 2, unreached: 1 },
  area: "third_country",
  ...{ facts: null, facts_hash: null },
};
const full = sampleOf(DataFlowReport);
const built = sampleOf(EvidencePackage);

function show(report: DataFlowReport | Refusal, search = "", pages: readonly DataFlowRequest[][] = []) {
  return renderConsole(<DataFlowsScreen />, {
    search,
    pathname: "/evidence",
    answers: {
      ...{ keys: { names: () => ({ data: [] }) }, providers: { list: () => ({ data: [] }) } },
      members: { list: () => ({ data: [], total_count: 0 }) },
      destinations: { list: () => ({ data: [], total_count: 0 }) },
      workspaces: { list: () => ({ data: [], total_count: 0 }) },
      routingRules: { list: () => ({ data: [], total_count: 0 }) },
      evidencePackages: { create: () => ({ data: built }) },
      dataFlows: {
        report: () => {
          if (report instanceof Refusal) throw report;
          return report;
        },
        requests: ({ after }) => {
          const at = after === undefined ? 0 : pages.findIndex((page) => page.at(-1)?.id === after) + 1;
          return {
            data: pages[at] ?? [],
            next: at < pages.length - 1 ? (pages[at]?.at(-1)?.id ?? null) : null,
          };
        },
      },
    },
  });
}

describe("the report of data flows", () => {
  test("asks for the filters of the URL", async () => {
    const { server } = show(bare, "?provider=a&area=third_country&user=ada");
    await waitFor(() => expect(server.inputsOf("dataFlows.report")).not.toEqual([]));
    expect(server.inputsOf("dataFlows.report")[0]).toMatchObject({
      provider: "a",
      area: "third_country",
      end_user: "ada",
    });
  });

  test("of an incomplete custom period asks for nothing, and says what is missing", async () => {
    const { server } = show(bare, "?range=custom&from=2026-11-01T00:00");
    expect((await screen.findByRole("status")).textContent).toContain("when the period begins and ends");
    expect(server.inputsOf("dataFlows.report")).toEqual([]);
  });

  test("counts by place what was received, without what could not be reached", async () => {
    show({ ...bare, recipients: [recipient] });
    const summary = await screen.findByRole("table", { name: "Summary" });
    expect(within(summary).getByRole("row", { name: /^Sent to third countries/ }).textContent).toMatch(/4$/);
    expect(screen.getByText("2 of 5 answered, 1 not reached")).toBeTruthy();
  });

  test("says what it does not know", async () => {
    show({ ...bare, records_from: "2026-11-01T00:00:00.000Z", unrecorded: 7 });
    expect(await screen.findByText(/their records were deleted/)).toBeTruthy();
    expect(screen.getByText(/7 requests of this period were interrupted/)).toBeTruthy();
  });

  test("that cannot be loaded shows why, and the request ID", async () => {
    show(new Refusal("SERVICE_UNAVAILABLE", "Try again later"));
    const { textContent } = await screen.findByRole("alert");
    expect(textContent).toContain("Try again later");
    expect(textContent).toContain(requestId);
  });

  test("a click on an end user shows only their requests", async () => {
    const { user, query } = show({
      ...bare,
      end_users: { count: 12, unnamed: 0, data: [{ end_user: "ada@example.eu", requests: 3 }] },
    });
    await user.click(await screen.findByRole("button", { name: "ada@example.eu" }));
    await waitFor(() => expect(query().get("user")).toBe("ada@example.eu"));
  });
});

test.each([
  ["without anything that may be missing", { ...bare, recipients: [recipient] }],
  ["with everything there can be", full],
])("a report %s is shown without a gap that reads as null", async (_what, report) => {
  const [first] = report.recipients;
  show(report, first && `?open=${encodeURIComponent(recipientId(first))}`);
  const sheet = await screen.findByRole("dialog");
  for (const text of [sheet.textContent, document.body.textContent])
    expect(text).not.toMatch(/undefined|\bnull\b|NaN|Invalid Date|\[object/);
});

test("an evidence package of the filters is built, and shown on its screen", async () => {
  const { user, server, visited } = show(bare, "?provider=a");
  await user.click(await screen.findByRole("button", { name: "Build evidence package" }));
  await waitFor(() => expect(server.inputsOf("evidencePackages.create")).toHaveLength(1));
  expect(server.inputsOf("evidencePackages.create")[0]).toMatchObject({ provider: "a" });
  await waitFor(() => expect(visited).toContain(`/evidence/packages?open=${built.id}`));
});

test("the requests of a report are saved with every page, and cannot become formulas", async () => {
  const requests = [1, 2, 3].map((at) => ({
    ...sampleOf(DataFlowRequest),
    id: `018f0000-0000-7000-8000-00000000000${at}`,
    end_user: "=1+1",
  }));
  const { user } = show(bare, "", [requests.slice(0, 2), requests.slice(2)]);
  await user.click(await screen.findByRole("button", { name: "Download requests (CSV)" }));
  await waitFor(() => expect(downloads).toHaveLength(1));
  const lines = (await downloads[0]?.text())?.trim().split("\n") ?? [];
  expect(lines[0]).toContain("id,started_at,operation,model,status,api_key_id,user_id,end_user");
  for (const { id } of requests) expect(lines.filter((line) => line.startsWith(id))).toHaveLength(1);
  expect(lines.join("\n")).toContain(",'=1+1,");
});
