import { z } from "zod";
import { RecordedDecision } from "#contract/generation.ts";
import type { generation, PrismaClient } from "#generated/prisma/client.ts";
import type { BasisBody, Database } from "#server/db/index.ts";

const Ranked = z.array(z.array(z.int()));

const Basis = z.object({
  endpoints: z.array(z.string()),
  models: z.array(
    RecordedDecision.shape.models.unwrap().element.omit({ ranked: true }).required({ preferences: true }),
  ),
}) satisfies z.ZodType<BasisBody>;

export type RecordedBasis = z.infer<typeof Basis>;

/** Decisions of an organisation by their hashes, in hexadecimal digits. */
export async function readBases(
  { statement }: Database,
  orgId: string,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, RecordedBasis>> {
  const rows = await statement<{ hash: string; body: unknown }>(
    `select encode(hash, 'hex') as hash, body from decision_basis
     where org_id = $1::uuid and hash = any(array(select decode(asked, 'hex') from unnest($2::text[]) as asked))`,
    [orgId, hashes],
  );
  return new Map(rows.map(({ hash, body }) => [hash, Basis.parse(body)]));
}

/**
 * How a generation was routed: what its organisation's basis says, with the eligible endpoints in the order of this
 * request. Rows of earlier versions contain all of it.
 */
export async function readDecision(
  prisma: PrismaClient,
  { org_id, decision_hash: hash, ranked, decision }: generation,
): Promise<RecordedDecision> {
  if (hash === null) return RecordedDecision.parse(decision ?? {});
  const { body } = await prisma.decision_basis.findUniqueOrThrow({
    where: { org_id_hash: { org_id, hash } },
    select: { body: true },
  });
  const { endpoints, models } = Basis.parse(body);
  const orders = Ranked.parse(ranked);
  return {
    models: models.map((model, at) => ({
      ...model,
      ranked: (orders[at] ?? []).map((position) => endpoints[position] ?? ""),
    })),
  };
}
