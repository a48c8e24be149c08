import type { Exclusion } from "#contract/exclusion.ts";
import type { ProviderPreferences } from "#contract/preferences.ts";
import type { Api, Catalogue, Endpoint } from "#server/catalog/index.ts";
import type { Random } from "#server/platform/ids.ts";
import { compareWidth, type Layer } from "./layer.ts";
import { mergePreferences } from "./merge.ts";
import { rank, type Strategy } from "./rank.ts";
import { type Sifted, sift } from "./sift.ts";
import type { Signals } from "./signals.ts";

/** Which endpoints may serve one model, best first, and why the others may not. */
export interface Decision {
  readonly model: string;
  readonly ranked: readonly Endpoint[];
  readonly excluded: readonly Exclusion[];
  readonly strategy: Strategy;
  readonly effective: ProviderPreferences;
}

export interface RouteQuestion {
  readonly model: string;
  readonly apis: readonly Api[];
  /** What the request itself asks for. */
  readonly preferences: ProviderPreferences | null;
  /** `YYYY-MM-DD`. */
  readonly today: string;
  readonly sessionEndpoint?: string | undefined;
}

export interface Router {
  /** The decision for one model; null when the catalogue does not know it. */
  route(question: RouteQuestion): Decision | null;
}

interface Installation {
  readonly catalogue: Catalogue;
  readonly credentials: { has(slug: string): boolean };
  /** A floor for the whole installation, which a request can only narrow. */
  readonly defaultResidency: string | null;
  readonly signals: Signals;
  readonly random: Random;
}

interface Prepared {
  readonly sifted: Sifted;
  readonly effective: ProviderPreferences;
}

const rememberedMax = 1000;

/** The engine over one catalogue. What does not depend on the single request is sifted once and remembered. */
export function createRouter({
  catalogue,
  credentials,
  defaultResidency,
  signals,
  random,
}: Installation): Router {
  const rate = catalogue.exchangeRate;
  const standing: readonly Layer[] = defaultResidency
    ? [{ setBy: { scope: "installation" }, preferences: { data_residency: defaultResidency } }]
    : [];
  const remembered = new Map<string, Prepared | null>();

  function prepare({ model, apis, preferences, today }: RouteQuestion): Prepared | null {
    const own: Layer[] = preferences ? [{ setBy: { scope: "request" }, preferences }] : [];
    const layers = [...standing, ...own].sort(compareWidth);
    const sifted = sift(catalogue, { model, apis, layers, credentials, moment: { today, rate } });
    return sifted && { sifted, effective: mergePreferences(layers) };
  }

  function recall(question: RouteQuestion): Prepared | null {
    if (question.preferences) return prepare(question);
    const key = `${question.today} ${question.apis.join()} ${question.model}`;
    const known = remembered.get(key);
    if (known !== undefined) return known;
    if (remembered.size >= rememberedMax) remembered.clear();
    const prepared = prepare(question);
    remembered.set(key, prepared);
    return prepared;
  }

  return {
    route(question) {
      const prepared = recall(question);
      if (!prepared) return null;
      const { sifted, effective } = prepared;
      const { sessionEndpoint } = question;
      const ranking = rank(sifted.eligible, effective, { rate, signals, random, sessionEndpoint });
      return { model: sifted.model.id, excluded: sifted.excluded, effective, ...ranking };
    },
  };
}
