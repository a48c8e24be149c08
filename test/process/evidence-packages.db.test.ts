import { describe, expect, test } from "vitest";
import type { DataFlowFilter } from "#contract/data-flows.ts";
import { bookGenerations } from "#server/billing/book-generations.ts";
import { type GenerationRow, receipted } from "#server/db/index.ts";
import { listDataFlowRequests, reportDataFlows } from "#server/evidence/index.ts";
import { writePackage } from "#server/evidence/package/write-package.ts";
import type { Auditor } from "#server/evidence/selection.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { sha256Hex } from "#server/platform/crypto.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { limits } from "#server/platform/limits.ts";
import { logGenerations, readReceipt } from "#server/transparency/index.ts";
import { decisionAmong, storeDecisions } from "#test/data-flows.ts";
import {
  createOrganisation,
  generationRow,
  openTestDatabase,
  type TestOrganisation,
} from "#test/factories.ts";
import { unzipped } from "#test/unzipped.ts";
import { readPublicKey, verifyCheckpoint } from "../../scripts/verify.mjs";
import { logsOf, signer } from "./logged-organisations.ts";

const { database } = await openTestDatabase();
const { sequenceOnce } = logsOf(database);
const deps = { database, adequacyOff: new Set<string>(), log: { database, signer } };
const fromMs = clock.nowMs() - 3 * 3_600_000;
const period = { from: isoTime(fromMs), to: isoTime(fromMs + 3_600_000) };

const [inFrance, abroad] = [decisionAmong({ "fr:m": "FR" }), decisionAmong({ "fr:m": "FR", "cn:m": "CN" })];

const at = (minutes: number) => isoTime(fromMs + minutes * 60_000);
const answered = (organisation: TestOrganisation, endpoint: string, more: Partial<GenerationRow> = {}) =>
  generationRow(organisation, "0.1", {
    ...{ provider: endpoint.split(":")[0] ?? "", endpoint, attempts: null, attempt_ms: 7, started_at: at(1) },
    decision_hash: `\\x${inFrance.hash}`,
    ...more,
  });

async function book(rows: readonly GenerationRow[]): Promise<void> {
  await bookGenerations(
    database,
    rows.map((row) => ({ instanceId: uuidv7(), row, ...receipted(row) })),
    { logReceipts: logGenerations },
  );
  await sequenceOnce(signer);
}

/** An organisation whose requests stay in France, but for one that failed in China before. */
async function withPlanted() {
  const organisation = await createOrganisation(database);
  await storeDecisions(database, organisation.orgId, [inFrance, abroad]);
  const planted = answered(organisation, "fr:m", {
    attempts: [
      { endpoint: "cn:m", provider: "cn", outcome: "timeout", status: null, duration_ms: 9 },
      { endpoint: "fr:m", provider: "fr", outcome: "ok", status: 200, duration_ms: 9 },
    ],
    ...{ attempt_ms: null, decision_hash: `\\x${abroad.hash}`, started_at: at(30), user_reference: "ada" },
  });
  const rows = [
    ...Array.from({ length: 20 }, (_, minute) => answered(organisation, "fr:m", { started_at: at(minute) })),
    planted,
  ];
  await book(rows);
  return { organisation, caller: organisation.caller as Auditor, planted };
}

interface Packaged {
  readonly requests: number;
  /** Base64. */
  readonly content: string;
}

async function packageOf({ orgId }: Pick<Auditor, "orgId">, filter: DataFlowFilter): Promise<Packaged> {
  const written: Buffer[] = [];
  const requests = await writePackage(deps, {
    ...{ orgId, filter, bounds: limits.evidencePackages.bounds },
    write: async (bytes) => void written.push(bytes),
    onProgress: () => Promise.resolve(),
  });
  return { requests, content: Buffer.concat(written).toString("base64") };
}

const { organisation, caller, planted } = await withPlanted();
const built = await packageOf(caller, period);
const files = unzipped(built.content);
const summary = JSON.parse(files["report.json"] ?? "");

describe("a package", () => {
  test("is the same bytes when it is built again, also after the log grew and requests came later", async () => {
    await book([answered(organisation, "fr:m", { started_at: isoTime(clock.nowMs()) })]);
    const again = await packageOf(caller, period);
    expect(again.content).toBe(built.content);
  });

  test("has every request with the hash and the index that its receipt proves", async () => {
    const [header = "", ...lines] = (files["requests.csv"] ?? "").trim().split("\n");
    expect(lines).toHaveLength(21);
    const columns = header.split(",");
    for (const line of lines) {
      const cells = line.split(",");
      const cell = (name: string) => cells[columns.indexOf(name)] ?? "";
      const receipt = await readReceipt(deps.log, caller as never, cell("id"));
      const text = receipt.personal_hash ? `${receipt.record}\n${receipt.personal_hash}` : receipt.record;
      expect(cell("receipt_hash")).toBe(sha256Hex(text));
      expect(receipt.proof).toContain(`index ${cell("log_index")}\n`);
    }
  });

  test("says of each recipient when the first and the last request were sent to it", () => {
    const spans = summary.recipients.map((one: Record<string, unknown>) => [
      ...[one.endpoint, one.requests, one.answered, one.first_at, one.last_at],
    ]);
    // The facts of the endpoint in France are the same in both decisions.
    expect(spans).toEqual([
      ["fr:m", 21, 21, at(0), at(30)],
      ["cn:m", 1, 0, at(30), at(30)],
    ]);
  });

  test("has decisions and facts under their hashes, and a checkpoint that covers its requests", () => {
    const hashed = Object.entries(files).filter(([name]) => /^(facts|decisions|inputs)\//.test(name));
    expect(hashed.map(([name]) => name.split("/")[0]).toSorted()).toEqual([
      ...["decisions", "decisions", "facts", "facts"],
    ]);
    for (const [name, text] of hashed) expect(name).toContain(sha256Hex(text));
    const keys = (files["public-keys.txt"] ?? "")
      .trim()
      .split("\n")
      .map((key) => readPublicKey(key));
    const { size } = verifyCheckpoint(files["checkpoint.txt"], keys);
    expect(size).toBeGreaterThanOrEqual(21);
  });

  test("with a filter has only what matches", async () => {
    expect((await packageOf(caller, { ...period, end_user: "ada" })).requests).toBe(1);
    const none = await packageOf(caller, { ...period, end_user: "nobody" });
    expect(Object.keys(unzipped(none.content)).toSorted()).toEqual(
      [
        ...["README.txt", "records-of-processing.md", "report.html", "report.json", "report.pdf"],
        "requests.csv",
      ].toSorted(),
    );
  });

  test("says which rules were in force throughout, from the audit log", async () => {
    const other = await createOrganisation(database);
    const rule = (id: string, name: string, enabled = true) => ({ id, name, enabled });
    const [steady, changed, later] = [uuidv7(), uuidv7(), uuidv7()];
    const entry = (position: number, action: string, id: string, minutes: number, after: object) =>
      database.prisma.audit_entry.create({
        data: {
          ...{ org_id: other.orgId, position, actor_type: "system", action, subject_type: "routing_rule" },
          ...{ subject_id: id, occurred_at: at(minutes), after },
        },
      });
    await entry(101, "routing_rule.create", steady, -60, rule(steady, "Steady"));
    await entry(102, "routing_rule.create", changed, -50, rule(changed, "Changed"));
    await entry(103, "routing_rule.update", changed, 10, rule(changed, "Changed", false));
    await entry(104, "routing_rule.create", later, 20, rule(later, "<b>Later</b>"));
    const own = await packageOf(other.caller as Auditor, period);
    const { rules } = JSON.parse(unzipped(own.content)["report.json"] ?? "");
    expect(
      rules
        .map((one: { name: string; in_force_throughout: boolean }) => [one.name, one.in_force_throughout])
        .toSorted(),
    ).toEqual([
      ["<b>Later</b>", false],
      ["Changed", false],
      ["Steady", true],
    ]);
    const html = unzipped(own.content)["report.html"] ?? "";
    expect(html).toContain("&lt;b&gt;Later&lt;/b&gt;");
    expect(html).not.toContain("<b>Later");
  });
});

const report = (filter: Partial<DataFlowFilter>) =>
  reportDataFlows(deps, caller, { ...period, ...filter }, (slug) => slug);
const listed = async (filter: Partial<DataFlowFilter>) =>
  (await listDataFlowRequests(deps, caller, { ...period, ...filter, limit: 100 })).data.map(({ id }) => id);

/** Ways in which somebody may look for a request that went outside the EU, although it was answered inside. */
const ways: Record<string, () => Promise<boolean>> = {
  "the list by area": async () => (await listed({ area: "third_country" })).includes(planted.id),
  "the list by country": async () => (await listed({ country: "CN" })).includes(planted.id),
  "the list by provider": async () => (await listed({ provider: "cn" })).includes(planted.id),
  "the list by endpoint": async () => (await listed({ endpoint: "cn:m" })).includes(planted.id),
  "the list by the facts": async () =>
    (await listed({ facts_hash: abroad.facts.get("cn:m")?.hash })).includes(planted.id),
  "the recipients of a report": async () =>
    (await report({})).recipients.some(({ area, requests }) => area === "third_country" && requests === 1),
  "a report by end user": async () =>
    (await report({ end_user: "ada" })).recipients.some(({ endpoint }) => endpoint === "cn:m"),
  "the areas of a package": async () => summary.requests_by_area.third_country === 1,
  "the countries of a package": async () => summary.requests_by_country.CN === 1,
  "the transfers of the readable report": async () =>
    /Transfers outside[\s\S]*<td>cn:m<\/td><td>third country[\s\S]*<td>China<\/td><td>1<\/td>/.test(
      files["report.html"] ?? "",
    ),
  "the record of processing activities": async () =>
    /Transfers to third countries[\s\S]*\| cn:m \| third country [^|]*\| China \| 1 \| \[to be completed: safeguards\]/.test(
      files["records-of-processing.md"] ?? "",
    ),
  "the sub-processors of a package": async () =>
    summary.sub_processors.some(({ slug }: { slug: string }) => slug === "cn"),
  "the requests of a package": async () =>
    (files["requests.csv"] ?? "")
      .split("\n")
      .some((line) => line.startsWith(planted.id) && line.includes("cn:m timeout")),
  "its receipt": async () =>
    (await readReceipt(deps.log, caller as never, planted.id)).record.includes('"cn:m"'),
};

test.each(Object.entries(ways))("a request that went outside the EU is found in %s", async (_, look) => {
  expect(await look()).toBe(true);
});
