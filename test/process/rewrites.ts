import type { Database } from "#server/db/index.ts";
import { sha256Hex } from "#server/platform/crypto.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { bundled, entriesIn, entryOf } from "#server/transparency/entry.ts";

/** A log of 6 rows of the audit log and then 4 requests, which somebody with write access to the database changes. */
export interface Attacked {
  readonly database: Database;
  readonly orgId: string;
  /** The requests, in the order of their entries 6 to 9. */
  readonly requests: readonly string[];
  /** Makes a new log from the rows there are: with another key, unless the installation's was stolen. */
  readonly rebuild: (stolenKey?: boolean) => Promise<void>;
}

export interface Rewrite {
  readonly name: string;
  readonly change: (attacked: Attacked) => Promise<unknown>;
  /** What the verification reports. `{0}` to `{3}` are the requests. */
  readonly found: string;
}

const fact = '{"endpoint":"a","retention_days":{"value":30}}';
export const facts = [{ hash: sha256Hex(fact), body: fact }];
const [modelInput, ruleInput] = ['{"endpoints":[],"id":"a"}', '{"id":"rule"}'];
const routingInput = `{"models":[{"model":"${sha256Hex(modelInput)}"}],"rules":["${sha256Hex(ruleInput)}"],"version":1}`;
export const inputs = [routingInput, modelInput, ruleInput].map((body) => ({ hash: sha256Hex(body), body }));
export const decision = `{"endpoints":["a"],"facts":["${sha256Hex(fact)}"],"inputs":"${sha256Hex(routingInput)}","models":[]}`;
export const decisionHash = sha256Hex(decision);

const notRow = (index: number) => `entry ${index} is not the row of the audit log that was added to the log`;
const notRequest = (at: number) => `entry ${6 + at} is not the request {${at}} as it was added to the log`;
const notSigned = "its checkpoint is not the one that this installation signed";
const hashChanged = (index: number) => `the hash of entry ${index} is not the one that was added to the log`;

const rowAt = (org_id: string, position: number) => ({ where: { org_id, position } });

/** Replaces entries of the first bundle. */
async function changeEntries(
  { database, orgId: org_id }: Attacked,
  change: (entries: Buffer[]) => Buffer[],
): Promise<void> {
  const { entries } = await database.prisma.log_bundle.findFirstOrThrow({ where: { org_id } });
  const changed = new Uint8Array(bundled(Buffer.concat(change(entriesIn(entries)))));
  await database.prisma.log_bundle.updateMany({ where: { org_id }, data: { entries: changed } });
}

export const auditRewrites: readonly Rewrite[] = [
  {
    name: "changes a row",
    change: ({ database, orgId }) =>
      database.prisma.audit_entry.updateMany({ ...rowAt(orgId, 3), data: { subject_id: "nobody" } }),
    found: notRow(2),
  },
  {
    name: "removes a row",
    change: ({ database, orgId }) => database.prisma.audit_entry.deleteMany(rowAt(orgId, 3)),
    found: notRow(2),
  },
  {
    name: "removes the last row",
    change: ({ database, orgId }) => database.prisma.audit_entry.deleteMany(rowAt(orgId, 6)),
    found: notRow(5),
  },
  {
    name: "exchanges two rows",
    change: async ({ database, orgId }) => {
      const { audit_entry } = database.prisma;
      await audit_entry.updateMany({ ...rowAt(orgId, 2), data: { position: 99 } });
      await audit_entry.updateMany({ ...rowAt(orgId, 3), data: { position: 2 } });
      await audit_entry.updateMany({ ...rowAt(orgId, 99), data: { position: 3 } });
    },
    found: notRow(1),
  },
  {
    name: "adds a row between others",
    change: async ({ database, orgId }) => {
      const { id: _, ...row } = await database.prisma.audit_entry.findFirstOrThrow(rowAt(orgId, 3));
      await database.prisma.audit_entry.create({
        data: { ...row, before: row.before ?? undefined, after: row.after ?? undefined },
      });
    },
    found: notRow(2),
  },
  {
    name: "changes a row and its entry",
    change: async (attacked) => {
      const { audit_entry } = attacked.database.prisma;
      await audit_entry.updateMany({ ...rowAt(attacked.orgId, 3), data: { action: "x.y" } });
      const row = await audit_entry.findFirstOrThrow(rowAt(attacked.orgId, 3));
      await changeEntries(attacked, (entries) => entries.map((one, at) => (at === 2 ? entryOf(row) : one)));
    },
    found: hashChanged(2),
  },
  {
    name: "changes a row and the tree with it",
    change: async ({ database, orgId, rebuild }) => {
      await database.prisma.audit_entry.updateMany({ ...rowAt(orgId, 3), data: { action: "x.y" } });
      await rebuild();
    },
    found: notSigned,
  },
  {
    name: "removes the end of both",
    change: async ({ database, orgId: org_id, rebuild }) => {
      await database.prisma.audit_entry.deleteMany({ where: { org_id, position: { gt: 3 } } });
      await rebuild();
    },
    found: notSigned,
  },
];

const changeTree = (data: object) => (attacked: Attacked) =>
  attacked.database.prisma.log_tree.updateMany({ where: { org_id: attacked.orgId }, data });

export const logRewrites: readonly Rewrite[] = [
  {
    name: "returns to an earlier state with the installation's key",
    change: async ({ database, orgId: org_id, rebuild }) => {
      await database.prisma.audit_entry.deleteMany({ where: { org_id, position: { gt: 3 } } });
      await rebuild(true);
    },
    found: "it has 7 entries, and had 10 at the checkpoint given",
  },
  {
    name: "changes a row with the installation's key, and everything after it",
    change: async ({ database, orgId, rebuild }) => {
      await database.prisma.audit_entry.updateMany({ ...rowAt(orgId, 3), data: { action: "x.y" } });
      await rebuild(true);
    },
    found: "its first 10 entries are not those of the checkpoint given",
  },
  {
    name: "removes the log",
    change: ({ database, orgId: org_id }) => database.prisma.log_tree.deleteMany({ where: { org_id } }),
    found: "the log is missing",
  },
  { name: "removes its checkpoint", change: changeTree({ checkpoint: "" }), found: notSigned },
  { name: "gives it another name", change: changeTree({ origin: "other.test/log" }), found: notSigned },
  { name: "says that it has fewer entries", change: changeTree({ size: 9 }), found: notSigned },
  { name: "says that it has more entries", change: changeTree({ size: 11 }), found: "entry 10 is missing" },
  {
    name: "removes its tiles",
    change: ({ database, orgId: org_id }) => database.prisma.log_tile.deleteMany({ where: { org_id } }),
    found: hashChanged(0),
  },
  {
    name: "removes its entries",
    change: ({ database, orgId: org_id }) => database.prisma.log_bundle.deleteMany({ where: { org_id } }),
    found: "entry 0 is missing",
  },
  {
    name: "removes its last entry",
    change: (attacked) => changeEntries(attacked, (entries) => entries.slice(0, -1)),
    found: "entry 9 is missing",
  },
  {
    name: "repeats an entry",
    change: (attacked) =>
      changeEntries(attacked, (entries) => entries.map((one, at) => entries[at === 9 ? 8 : at] ?? one)),
    found: "the entries from 0 on have another range than is stored",
  },
  {
    name: "makes an entry one of another kind",
    change: (attacked) =>
      changeEntries(attacked, (entries) =>
        entries.map((one, at) => (at === 7 ? Buffer.concat([Buffer.of(9), one.subarray(1)]) : one)),
      ),
    found: "entry 7 is of an unknown kind",
  },
  {
    name: "hides requests from those who look for their entries",
    change: ({ database, orgId: org_id }) =>
      database.prisma.log_bundle.updateMany({ where: { org_id }, data: { ids_to: null } }),
    found: "the entries from 0 on have another range than is stored",
  },
];

/** Sets columns of the second request. */
const set = (columns: string) => (attacked: Attacked) =>
  attacked.database.statement(`update generation set ${columns} where id = $1::uuid`, [attacked.requests[1]]);

const changedColumns = {
  "changes who answered a request": "provider = 'other', endpoint = 'other:model'",
  "changes the region of a request": "region = 'DE'",
  "changes the time of a request": "started_at = started_at - interval '1 day'",
  "makes a failed request one that was answered": "status = 'completed', error_code = null",
  "removes a provider that received a request and failed": "attempts = attempts - 0",
  "changes the price of a request": "cost_pico_eur = 1",
  "changes the tokens of a request": "prompt_tokens = prompt_tokens + 1",
  "changes the exchange rate of a request": "fx_usd_per_eur = 2",
  "changes the key of a request": "api_key_id = user_id",
  "changes the order of the endpoints of a request": "ranked = '[[1,0]]'",
  "changes the parameters of a request": 'parameters = parameters || \'{"provider":{"zdr":true}}\'',
  "changes the end user of a request": "user_reference = 'somebody else'",
  "removes the end user of a request": "user_reference = null, personal_salt = null",
  "lets a request refer to another decision": "decision_hash = sha256('other')",
} as const;

const copyOf = (id: string) => `
  insert into generation select (json_populate_record(generation, json_build_object('id', '${id}'))).*
  from generation where id = $1::uuid`;

export const requestRewrites: readonly Rewrite[] = [
  ...Object.entries(changedColumns).map(([name, columns]) => ({
    name,
    change: set(columns),
    found: notRequest(1),
  })),
  {
    name: "removes a request",
    change: ({ database, requests }) => database.prisma.generation.deleteMany({ where: { id: requests[1] } }),
    found: "entry 7 is about the request {1}, which is missing",
  },
  {
    name: "removes a request and adds a row that says it was deleted because of its age",
    change: async ({ database, requests, orgId }) => {
      await database.prisma.generation.deleteMany({ where: { id: requests[1] } });
      const { id: _, ...row } = await database.prisma.audit_entry.findFirstOrThrow(rowAt(orgId, 6));
      const after = { before: "2099-01-01" };
      await database.prisma.audit_entry.create({
        data: { ...row, position: 7, action: "generation.delete_old", before: undefined, after },
      });
    },
    found: "entry 7 is about the request {1}, which is missing",
  },
  {
    name: "adds a request",
    change: ({ database, requests }) => database.statement(copyOf(uuidv7()), [requests[3]]),
    found: "is stored, but was never added to it",
  },
  {
    name: "gives a request to another organisation",
    change: set("org_id = user_id"),
    found: "entry 7 is about the request {1}, which is missing",
  },
  {
    name: "gives a request another ID",
    change: set(`id = '${uuidv7()}'`),
    found: "entry 7 is about the request {1}, which is missing",
  },
  {
    name: "changes a decision",
    change: ({ database, orgId }) =>
      database.statement(
        "update decision_basis set body = json_build_object('models', '[]'::json) where org_id = $1::uuid",
        [orgId],
      ),
    found: `the decision ${decisionHash} was changed`,
  },
  {
    name: "changes what was known of a provider",
    change: ({ database, orgId }) =>
      database.statement(
        `update endpoint_facts set body = '{"retention_days":{"value":0}}' where org_id = $1::uuid`,
        [orgId],
      ),
    found: `a document of facts ${sha256Hex(fact)} was changed`,
  },
  {
    name: "removes what was known of a provider",
    change: ({ database, orgId: org_id }) => database.prisma.endpoint_facts.deleteMany({ where: { org_id } }),
    found: `the facts ${sha256Hex(fact)} are missing`,
  },
  {
    name: "changes what was known of a provider, and the decision with it",
    change: async ({ database, orgId }) => {
      const set = "hash = sha256('{}'), body = '{}'";
      await database.statement(`update endpoint_facts set ${set} where org_id = $1::uuid`, [orgId]);
      await database.statement(`update decision_basis set ${set} where org_id = $1::uuid`, [orgId]);
    },
    found: "the decision of the request {1} is missing",
  },
  {
    name: "changes what a decision was made from",
    change: ({ database, orgId }) =>
      database.statement("update decision_input set body = '[]' where org_id = $1::uuid", [orgId]),
    found: "a document of inputs",
  },
  ...[
    ["what a decision was made from", routingInput],
    ["a rule that a decision was made from", ruleInput],
    ["a model that a decision was made from", modelInput],
  ].map(([name = "", body = ""]) => ({
    name: `removes ${name}`,
    change: ({ database, orgId }: Attacked) =>
      database.statement("delete from decision_input where org_id = $1::uuid and hash = sha256($2::bytea)", [
        orgId,
        Buffer.from(body),
      ]),
    found: `the inputs ${sha256Hex(body)} are missing`,
  })),
  {
    name: "removes a decision",
    change: ({ database, orgId: org_id }) => database.prisma.decision_basis.deleteMany({ where: { org_id } }),
    found: "the decision of the request {1} is missing",
  },
];
