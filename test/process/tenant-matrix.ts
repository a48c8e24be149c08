import type { Caller } from "#server/access/caller.ts";
import type { SignedInPerson } from "#server/accounts/index.ts";
import { createCaller } from "#server/api/root.ts";
import { appErrorOf } from "#server/api/trpc.ts";
import type { PlannedOperation } from "./operation-plans.ts";
import type { TestServer } from "./server.ts";

/** The answer of an operation to a caller: its output, or the error with its code and all its text. */
export type Outcome = { readonly output: unknown } | { readonly code: string; readonly text: string };

export const codeOf = (outcome: Outcome): string => ("code" in outcome ? outcome.code : "success");

/** All that an outcome shows, as text. */
export const shownBy = (outcome: Outcome): string =>
  JSON.stringify("output" in outcome ? (outcome.output ?? null) : outcome);

/** Calls an operation as REST and the console do. */
export async function run(
  { services }: TestServer,
  operation: PlannedOperation,
  caller: Caller | null,
  input: unknown,
  person: SignedInPerson | null = null,
): Promise<Outcome> {
  const signal = AbortSignal.timeout(10_000);
  let found: unknown = createCaller({
    services,
    caller,
    person,
    requestId: "matrix",
    ipAddress: null,
    signal,
  });
  for (const part of operation.name.split(".")) found = (found as Record<string, unknown>)[part];
  try {
    return { output: await (found as (input: unknown) => Promise<unknown>)(input) };
  } catch (thrown) {
    const { code, message, param, metadata } = appErrorOf(thrown);
    return { code, text: JSON.stringify({ message, param, metadata }) };
  }
}

interface Rows {
  /** Rows that hold one of these texts. */
  readonly holding: readonly string[];
  /** But none of these. */
  readonly without?: readonly string[];
  readonly isCompared: (table: string) => boolean;
}

/** A digest of every row anywhere that holds one of some texts, by table. */
export async function digests(
  { services }: TestServer,
  { holding, without = [], isCompared }: Rows,
): Promise<Record<string, string>> {
  const { prisma } = services.database;
  const tables = await prisma.$queryRaw<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
      and to_regclass(quote_ident(table_name)) not in (select inhrelid from pg_inherits) order by 1`;
  const statements = tables
    .filter(({ name }) => isCompared(name))
    .map(
      ({ name }) =>
        `select '${name}' as name, count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest
         from "${name}" t where t::text like any($1) and not t::text like any($2)`,
    );
  const patterns = (texts: readonly string[]) => texts.map((text) => `%${text}%`);
  const state: Record<string, string> = {};
  await services.database.batch(async (client) => {
    const found = await client.query<{ name: string; digest: string }>(statements.join(" union all "), [
      patterns(holding),
      patterns(without),
    ]);
    for (const { name, digest } of found.rows) state[name] = digest;
  });
  return state;
}
