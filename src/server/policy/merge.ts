import type { ProviderPreferences } from "#contract/preferences.ts";
import { admitsFormat } from "./fields.ts";
import { intersectResidencies } from "./residency.ts";
import type { ScopedPreferences } from "./scope.ts";

type Merge<K extends keyof ProviderPreferences> = (
  wide: NonNullable<ProviderPreferences[K]>,
  narrow: NonNullable<ProviderPreferences[K]>,
) => ProviderPreferences[K];

/** Formats both lists admit: of `fp8` and `mxfp8` the narrower one is left. */
const intersectFormats = <T extends string>(wide: readonly T[], narrow: readonly T[]): T[] => [
  ...new Set([
    ...narrow.filter((format) => admitsFormat(wide, format)),
    ...wide.filter((format) => admitsFormat(narrow, format)),
  ]),
];

/** `slug` allows `slug/variant`: the narrower name of the two survives. */
function intersectSlugs(wide: string[], narrow: string[]): string[] {
  const covers = (list: string[], slug: string) =>
    list.includes(slug) || list.includes(slug.split("/")[0] ?? slug);
  const lowerWide = wide.map((slug) => slug.toLowerCase());
  const lowerNarrow = narrow.map((slug) => slug.toLowerCase());
  return [
    ...new Set([
      ...lowerNarrow.filter((slug) => covers(lowerWide, slug)),
      ...lowerWide.filter((slug) => covers(lowerNarrow, slug)),
    ]),
  ];
}

const smaller = (a: number | null | undefined, b: number | null | undefined) =>
  a == null ? b : b == null ? a : Math.min(a, b);

/** How a hard field of a wider and a narrower scope is combined. Other fields are soft: the narrowest scope wins. */
const tighten: { readonly [K in keyof ProviderPreferences]?: Merge<K> } = {
  only: intersectSlugs,
  ignore(wide, narrow) {
    const more = narrow.filter((slug) => !wide.includes(slug));
    return more.length > 0 ? [...wide, ...more] : wide;
  },
  quantizations: intersectFormats,
  data_collection: (wide, narrow) => (wide === "deny" ? wide : narrow),
  data_residency: intersectResidencies,
  max_retention_days: Math.min,
  eu_owned: (wide, narrow) => wide || narrow,
  zdr: (wide, narrow) => wide || narrow,
  max_price: (wide, narrow) => ({
    prompt: smaller(wide.prompt, narrow.prompt),
    completion: smaller(wide.completion, narrow.completion),
    request: smaller(wide.request, narrow.request),
    image: smaller(wide.image, narrow.image),
    audio: smaller(wide.audio, narrow.audio),
  }),
};

function assign<K extends keyof ProviderPreferences>(
  into: ProviderPreferences,
  from: ProviderPreferences,
  name: K,
): void {
  const narrow = from[name];
  if (narrow == null) return;
  const wide = into[name];
  const merge = tighten[name] as Merge<K> | undefined;
  into[name] = wide == null || !merge ? narrow : merge(wide, narrow);
}

/**
 * All preferences in one object, for people to read and for soft fields, where the narrowest scope wins. Which
 * endpoints are admitted is decided scope by scope, not from this object.
 */
export function mergePreferences(
  scoped: readonly ScopedPreferences[],
  wider: ProviderPreferences = {},
): ProviderPreferences {
  const merged: ProviderPreferences = { ...wider };
  for (const { preferences } of scoped) {
    for (const name of Object.keys(preferences) as (keyof ProviderPreferences)[])
      assign(merged, preferences, name);
  }
  return merged;
}
