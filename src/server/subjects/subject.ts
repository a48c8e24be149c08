import type { SubjectType } from "#contract/data-subjects.ts";
import { Prisma } from "#generated/prisma/client.ts";
import type { Database } from "#server/db/index.ts";
import { notFound } from "#server/platform/errors.ts";
import type { RowSeal } from "#server/platform/row-seal.ts";

/** What the keyed hashes of subjects are derived for. */
export const subjectPurpose = "data subjects";

/** Whose data it is. */
export interface Subject {
  readonly type: SubjectType;
  /** The end user as requests name it, else a UUID. */
  readonly value: string;
}

const knownStatements: Partial<Record<SubjectType, string>> = {
  person: `
    select exists (select from member where org_id = $1::uuid and user_id = $2::uuid)
      or exists (select from api_key where org_id = $1::uuid and user_id = $2::uuid) as is_known`,
  api_key: `
    select exists (select from api_key where org_id = $1::uuid and id = $2::uuid)
      or exists (select from usage_day where org_id = $1::uuid and api_key_id = $2::uuid) as is_known`,
};

/**
 * Throws NOT_FOUND for a person who never was in the organisation, and for a key that it never had. Deleted keys are
 * known by their usage; an end user is known by requests only, so any is accepted.
 */
export async function assertKnown(
  { statement }: Database,
  orgId: string,
  { type, value }: Subject,
): Promise<void> {
  const text = knownStatements[type];
  if (text === undefined) return;
  const [row] = await statement<{ is_known: boolean }>(text, [orgId, value]);
  if (row?.is_known !== true)
    throw type === "person" ? notFound("person", "user_id") : notFound("API key", "api_key_id");
}

interface Named {
  readonly end_user?: string | undefined;
  readonly user_id?: string | undefined;
  readonly api_key_id?: string | undefined;
}

/** The subject that a validated input names; null if it names none. */
export function subjectOf({ end_user, user_id, api_key_id }: Named): Subject | null {
  if (end_user !== undefined) return { type: "end_user", value: end_user };
  if (user_id !== undefined) return { type: "person", value: user_id };
  return api_key_id === undefined ? null : { type: "api_key", value: api_key_id };
}

const partsOf = (orgId: string, { type, value }: Subject) => ["data subject", orgId, type, value];

/** Keyed hash of a subject: who does not have the installation's key can neither compute nor guess it. */
export const hashOf = (seal: RowSeal, orgId: string, subject: Subject): string =>
  seal.sign(partsOf(orgId, subject));

/** Whether a stored hash is that of a subject, also if it was made with a previous key. */
export const isHashOf = (seal: RowSeal, orgId: string, subject: Subject, hash: string): boolean =>
  seal.check(partsOf(orgId, subject), hash) === "holds";

const conditions: Record<SubjectType, (value: string) => Prisma.Sql> = {
  end_user: (value) => Prisma.sql`user_reference = ${value}`,
  person: (value) => Prisma.sql`user_id = ${value}::uuid`,
  api_key: (value) => Prisma.sql`api_key_id = ${value}::uuid`,
};

/** The requests of a subject, as a condition on `generation`. */
export const requestsOf = ({ type, value }: Subject): Prisma.Sql => conditions[type](value);
