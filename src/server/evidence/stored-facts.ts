import { z } from "zod";
import type { TransferArea } from "#contract/data-flows.ts";
import { EndpointFacts } from "#contract/endpoint-facts.ts";
import type { Database } from "#server/db/index.ts";
import { transferAreaOf } from "#server/policy/index.ts";
import { readDocuments } from "./stored-documents.ts";

/** What was known of an endpoint while some requests were routed. */
export interface KnownFacts {
  /** SHA-256 in hexadecimal digits. */
  readonly hash: string;
  /** Canonical JSON (RFC 8785), whose SHA-256 is the hash. */
  readonly text: string;
  readonly facts: EndpointFacts;
  readonly area: TransferArea;
}

/** The facts that a decision refers to, by endpoint. */
export type FactsByEndpoint = ReadonlyMap<string, KnownFacts>;

const Basis = z.object({ endpoints: z.array(z.string()), facts: z.array(z.string()).default([]) });

const areaOf = ({ place, provider }: EndpointFacts, off: ReadonlySet<string>): TransferArea =>
  transferAreaOf(
    {
      countries: place.countries,
      regionGroups: place.region_groups,
      provider: { dpfCertified: provider.dpf_certified },
    },
    off,
  );

async function factsByHash(
  database: Database,
  orgId: string,
  hashes: ReadonlySet<string>,
  off: ReadonlySet<string>,
): Promise<ReadonlyMap<string, KnownFacts>> {
  const documents = await readDocuments(database, orgId, "endpoint_facts", hashes);
  return new Map(
    [...documents.values()].flatMap(({ hash, body: text }) => {
      // What another version stored in a form that this one cannot read counts as not recorded.
      const { data: facts } = EndpointFacts.safeParse(JSON.parse(text));
      return facts ? [[hash, { hash, text, facts, area: areaOf(facts, off) }] as const] : [];
    }),
  );
}

/**
 * Returns, for each of these decisions (hashes in hexadecimal digits), the facts of its endpoints. `off` names
 * countries whose adequacy decision the operator does not rely on.
 */
export async function factsOfDecisions(
  database: Database,
  orgId: string,
  decisions: readonly string[],
  off: ReadonlySet<string>,
): Promise<ReadonlyMap<string, FactsByEndpoint>> {
  const rows = await database.statement<{ hash: string; body: unknown }>(
    `select encode(hash, 'hex') as hash,
       json_build_object('endpoints', body->'endpoints', 'facts', coalesce(body->'facts', '[]')) as body
     from decision_basis
     where org_id = $1::uuid and hash = any(array(select decode(asked, 'hex') from unnest($2::text[]) as asked))`,
    [orgId, [...new Set(decisions)]],
  );
  const bases = rows.map(({ hash, body }) => [hash, Basis.parse(body)] as const);
  const known = await factsByHash(database, orgId, new Set(bases.flatMap(([, { facts }]) => facts)), off);
  return new Map(
    bases.map(([hash, { endpoints, facts }]) => {
      const found = endpoints.flatMap((endpoint, at) => {
        const ofEndpoint = known.get(facts[at] ?? "");
        return ofEndpoint ? [[endpoint, ofEndpoint] as const] : [];
      });
      return [hash, new Map(found)];
    }),
  );
}
