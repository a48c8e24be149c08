import type { Catalogue } from "#server/catalog/index.ts";
import { textOf } from "../kind.ts";
import { entryKinds, isEntryKind } from "../kinds/entries.ts";
import { consequence, counted, days, type Evaluate, eur, transitionOf } from "./consequence.ts";
import type { RequestFilter } from "./traffic.ts";

interface Section {
  /** Whether requests can be sent there. */
  isServed(catalogue: Catalogue, name: string): boolean;
  filter(name: string): RequestFilter;
  addressIn(catalogue: Catalogue, name: string): string | null | undefined;
}

const sections: Readonly<Record<keyof typeof entryKinds, Section>> = {
  providers: {
    isServed: ({ providers }, name) => providers.get(name)?.enabled === true,
    filter: (provider) => ({ provider }),
    addressIn: ({ providers }, name) => providers.get(name)?.baseUrl,
  },
  models: {
    isServed: ({ models }, name) => models.has(name),
    filter: (model) => ({ model }),
    addressIn: () => null,
  },
  endpoints: {
    isServed: ({ endpoints }, name) => endpoints.get(name)?.enabled === true,
    filter: (endpoint) => ({ endpoints: [endpoint] }),
    addressIn: ({ endpoints }, name) => endpoints.get(name)?.provider.baseUrl,
  },
};

/** A provider, model or endpoint that would not be used any more, or at another address, and an endpoint that is new. */
export const entryConsequences: Evaluate = async ({ session, traffic }, change) => {
  if (!isEntryKind(change.kind)) return [];
  const { isServed, filter, addressIn } = sections[change.kind];
  const { before, after } = transitionOf(change);
  const name = textOf(before.name ?? after.name);
  const { orgId } = session.caller;
  const [today, later] = [session.catalogues.of(orgId), session.later.of(orgId)];
  const offered = later.endpoints.get(name);
  if (change.kind === "endpoints" && offered?.enabled && !isServed(today, name)) {
    const { requests } = await traffic.sums({ model: offered.model.id });
    const message = `${counted(requests)} ${days} were for its model, and could have run there`;
    return consequence(change, "endpoint_added", requests, message);
  }
  if (!isServed(today, name)) return [];
  const { requests, costPicoEur } = await traffic.sums(filter(name));
  const served = `${counted(requests)} ${days} (${eur(costPicoEur)})`;
  if (!isServed(later, name)) {
    const code = `${entryKinds[change.kind]}_removed`;
    return consequence(change, code, requests, `It served ${served}, and would not be used any more`);
  }
  const [from, to] = [addressIn(today, name), addressIn(later, name)];
  if (from === to) return [];
  const message = `${served} would have been sent to ${to ?? "no address"}, not to ${from ?? "none"}`;
  return consequence(change, `${entryKinds[change.kind]}_address`, requests, message);
};

export const credentialConsequences: Evaluate = async ({ traffic }, change) => {
  const { before, after } = transitionOf(change);
  const isRemoved = after.name === undefined || (after.disabled === true && before.disabled !== true);
  if (!change.current || !isRemoved) return [];
  const { requests } = await traffic.sums({ credentialId: change.current.id });
  const message = `${counted(requests)} ${days} were sent with it. They would need another credential`;
  return consequence(change, "credential_removed", requests, message);
};

export const tagConsequences: Evaluate = async ({ traffic }, change) => {
  if (change.action !== "delete") return [];
  const requests = await traffic.tagged(change.key);
  const message = `${counted(requests)} ${days} were counted by it. New ones would not be`;
  return consequence(change, "tag_removed", requests, message);
};
