import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { AuditLogEntry, type AuditVerification } from "#contract/audit.ts";
import { Member } from "#contract/member.ts";
import type { AuditProof, TransparencyLog } from "#contract/transparency-log.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { collectDownloads } from "#test/console/downloads.ts";
import { renderConsole } from "#test/console/render.tsx";
import { type Answers, listOf, refusing, requestId } from "#test/console/server.ts";
import { AuditScreen } from "./audit-screen.tsx";

const downloads = collectDownloads();
const [annaId, keyId, goneId] = [
  "018f0000-0000-7000-8000-0000000000a1",
  "018f0000-0000-7000-8000-0000000000b2",
  "018f0000-0000-7000-8000-0000012345cc",
];
const anna: Member = { ...sampleOf(Member), user_id: annaId, name: "Anna" };
const entryOf = (position: number, more: Partial<AuditLogEntry> = {}): AuditLogEntry => ({
  ...sampleOf(AuditLogEntry, { gaps: "always" }),
  position,
  action: `action.${position}`,
  actor_type: "person",
  actor_id: annaId,
  subject_type: "api_key",
  subject_id: goneId,
  before: null,
  after: null,
  ...more,
});
const verification: AuditVerification = {
  rows: 19,
  first_checked: 1,
  rows_holding: 19,
  broken: null,
  checked_at: "2026-01-01T00:00:00.000Z",
};

interface Visit {
  readonly entries?: readonly AuditLogEntry[];
  readonly total?: number;
  readonly audit?: Answers["audit"];
  readonly search?: string;
  readonly log?: Partial<TransparencyLog>;
}

const proof: AuditProof = {
  type: "audit_entry",
  text: "[]",
  proof: "c2sp.org/tlog-proof@v1\n",
  public_keys: ["a+b+c"],
};
const transparencyLog: TransparencyLog = {
  origin: "portolan.test/transparency/x",
  size: 12,
  checkpoint: "portolan.test/transparency/x\n12\n",
  signed_at: "2026-01-01T00:00:00.000Z",
  public_keys: ["a+b+c"],
  cosigned_checkpoint: null,
  witnesses: [],
  publications: [],
};

const visit = ({ entries = [entryOf(1)], total = entries.length, audit, search = "", log }: Visit = {}) =>
  renderConsole(<AuditScreen />, {
    search,
    answers: {
      audit: { list: () => ({ data: [...entries], total_count: total }), proof: () => proof, ...audit },
      transparencyLog: { get: () => ({ ...transparencyLog, ...log }) },
      members: { list: () => listOf(anna) },
      keys: { names: () => ({ data: [{ id: keyId, name: "Crawler" }] }) },
    },
  });
const cellsOf = async (action: string) => {
  const row = (await screen.findByText(action)).closest("tr");
  return [...(row?.cells ?? [])].map(({ textContent }) => textContent);
};

describe("the list", () => {
  test("names the person, the key, the system or the end of an unknown ID", async () => {
    visit({
      entries: [
        entryOf(1),
        entryOf(2, { actor_type: "key", actor_id: keyId }),
        entryOf(3, { actor_type: "system", actor_id: null }),
        entryOf(4, { actor_id: goneId }),
      ],
    });
    await waitFor(async () => expect((await cellsOf("action.1"))[1]).toBe("Anna"));
    await waitFor(async () => expect((await cellsOf("action.2"))[1]).toBe("key Crawler"));
    expect((await cellsOf("action.3"))[1]).toBe("system");
    expect((await cellsOf("action.4"))[1]).toBe("person …012345cc");
  });

  test("shortens IDs of objects, but not names such as those of apps", async () => {
    visit({
      entries: [entryOf(1), entryOf(2, { subject_type: "connected_app", subject_id: "app.example" })],
    });
    expect((await cellsOf("action.1"))[2]).toBe("api key …012345cc");
    expect((await cellsOf("action.2"))[2]).toBe("connected app app.example");
  });

  test("asks the server for what the URL filters by, from the first entry on", async () => {
    const { server } = visit({ search: `?action=api_key.create&subject=${goneId}&actor=${annaId}&page=2` });
    await screen.findByText("action.1");
    expect(server.inputsOf("audit.list")[0]).toEqual({
      limit: "50",
      offset: "100",
      action: "api_key.create",
      subject_id: goneId,
      actor_id: annaId,
    });
  });

  test("of the last hour begins an hour ago", async () => {
    const { server } = visit({ search: "?range=1h" });
    await screen.findByText("action.1");
    const [{ from }] = server.inputsOf("audit.list") as [{ from: string }];
    expect(Math.abs(Date.now() - 3_600_000 - Date.parse(from))).toBeLessThan(60_000);
  });

  test("goes back to the first page when the filter changes", async () => {
    const { user, query } = visit({ search: "?page=2", total: 500 });
    await screen.findByText("action.1");
    await user.selectOptions(screen.getByRole("combobox", { name: "Time" }), "7d");
    await waitFor(() => expect(query().get("range")).toBe("7d"));
    expect(query().get("page")).toBeNull();
  });

  test("that cannot be loaded names the request", async () => {
    visit({ audit: { list: refusing("INTERNAL_ERROR", "Out of order") } });
    expect((await screen.findByRole("alert")).textContent).toContain(requestId);
  });
});

test("an entry opens by its address, and shows the changed fields with their values before and after", async () => {
  visit({
    search: "?open=7",
    entries: [
      entryOf(7, { before: { name: "Old", limit: 5 }, after: { name: "New", limit: 5, disabled: true } }),
    ],
  });
  const sheet = await screen.findByRole("dialog", { name: "action.7" });
  const table = within(sheet).getByRole("table", { name: "Before and after" });
  const rows = within(table).getAllByRole("row").slice(1);
  expect(
    rows.map((row) => [...(row as HTMLTableRowElement).cells].map(({ textContent }) => textContent)),
  ).toEqual([
    ["name", "Old", "New"],
    ["disabled", "–", "true"],
  ]);
});

test("an entry without changed fields is shown as such", async () => {
  visit({ search: "?open=1" });
  await screen.findByText("No fields were changed.");
});

describe("verification", () => {
  const verify = async (verified: Partial<AuditVerification>) => {
    const view = visit({ audit: { verify: () => ({ ...verification, ...verified }) } });
    await screen.findByText("action.1");
    expect(view.server.inputsOf("audit.verify")).toEqual([]);
    await view.user.click(screen.getByRole("button", { name: "Verify the log" }));
    return view;
  };

  test("runs when it is asked for, and counts the entries", async () => {
    await verify({});
    await screen.findByText("All 19 entries verified");
  });

  test("of the newest entries does not claim to be of all", async () => {
    await verify({ rows: 30_000, first_checked: 10_001, rows_holding: 20_000 });
    await screen.findByText("The newest 20,000 entries verified");
  });

  test("names the first entry that was altered, and does not report success", async () => {
    await verify({ broken: { position: 12, problem: "The hash differs" }, rows_holding: 11 });
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("Entry 12 failed verification");
    expect(alert.textContent).toContain("The hash differs");
    expect(screen.queryByText(/entries verified/)).toBeNull();
  });

  test("that fails is reported and can be tried again", async () => {
    const { user } = visit({ audit: { verify: refusing("SERVICE_UNAVAILABLE", "Try again later") } });
    await user.click(await screen.findByRole("button", { name: "Verify the log" }));
    expect((await screen.findByRole("alert")).textContent).toContain("Try again later");
    screen.getByRole("button", { name: "Try again" });
  });
});

describe("the CSV file", () => {
  test("has every entry that the filters find, once, with names and values as JSON", async () => {
    const all = [3, 2, 1].map((position) =>
      entryOf(position, { action: "=1+1", after: { name: "A, B" }, before: null }),
    );
    const list = vi.fn(({ offset = "0" }: { offset?: string }) => ({
      // An entry that was added meanwhile: the second page begins with one that was already there.
      data: offset === "0" ? all.slice(0, 2) : all.slice(Number(offset) - 1, Number(offset) + 1),
      total_count: 4,
    }));
    const { user, server } = visit({ audit: { list }, search: "?action=x" });
    await screen.findAllByText("=1+1");
    await user.click(screen.getByRole("button", { name: "Download CSV" }));
    await waitFor(() => expect(downloads).toHaveLength(1));
    const [header, ...lines] = ((await downloads[0]?.text()) ?? "").trim().split("\n");
    expect(header).toContain("position,occurred_at,action,actor_type,actor_id,actor,");
    expect(lines.map((line) => line.split(",")[0])).toEqual(["3", "2", "1"]);
    expect(lines[0]).toContain(`,'=1+1,person,${annaId},Anna,`);
    expect(lines[0]).toContain('"{""name"":""A, B""}"');
    expect(server.inputsOf("audit.list").at(-1)).toMatchObject({ action: "x" });
  });
});

describe("evidence", () => {
  test("of an entry is saved as a file that verify.mjs reads", async () => {
    const { server, user } = visit({ entries: [entryOf(7)], search: "?open=7" });
    await user.click(await screen.findByRole("button", { name: "Download proof" }));
    await waitFor(() => expect(downloads).toHaveLength(1));
    expect(server.inputsOf("audit.proof")).toEqual([{ position: "7" }]);
    expect(downloads[0]?.name).toBe("audit-entry-7.json");
    expect(JSON.parse((await downloads[0]?.text()) ?? "")).toEqual(proof);
  });

  test("of the log's state is saved as its checkpoint", async () => {
    const { user } = visit();
    await user.click(await screen.findByRole("button", { name: "Download checkpoint" }));
    await waitFor(() => expect(downloads).toHaveLength(1));
    expect(downloads[0]?.name).toBe("checkpoint-12.txt");
    expect(await downloads[0]?.text()).toBe(transparencyLog.checkpoint);
  });

  test("of the log's state is the checkpoint that witnesses signed, if there is one", async () => {
    const cosigned = "portolan.test/transparency/x\n11\n";
    const { user } = visit({ log: { cosigned_checkpoint: cosigned } });
    await user.click(await screen.findByRole("button", { name: "Download checkpoint" }));
    await waitFor(() => expect(downloads).toHaveLength(1));
    expect(downloads[0]?.name).toBe("checkpoint-11.txt");
    expect(await downloads[0]?.text()).toBe(cosigned);
  });

  test("that does not exist yet is explained", async () => {
    const wait = "Changes are added to the transparency log within 5 seconds. Try again then.";
    const { user } = visit({
      entries: [entryOf(7)],
      search: "?open=7",
      audit: { proof: refusing("NOT_FOUND", wait) },
    });
    await user.click(await screen.findByRole("button", { name: "Download proof" }));
    await screen.findByText(wait);
    expect(downloads).toHaveLength(0);
  });
});
