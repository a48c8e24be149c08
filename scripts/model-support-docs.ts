import { dialects, type Endpoint, fieldRule, loadCatalogue } from "#server/catalog/index.ts";
import { providerKinds } from "#server/inference/index.ts";
import { markdownTable } from "./markdown-table.ts";

/** What people choose a model by: a heading, and the field of a request. */
const features = [
  ["Tools", "tools"],
  ["JSON schema", "structured_outputs"],
  ["Reasoning", "reasoning"],
  ["Seed", "seed"],
  ["Parallel tools", "parallel_tool_calls"],
] as const;
const words = { supported: "yes", unsupported: "no", unknown: "?" } as const;

const supportOf = ({ rules }: Endpoint, field: string) =>
  fieldRule(rules, "chat", field)?.support ?? "unknown";

/** Endpoints of a model with the same support share a row. */
function rowsOf(model: string, endpoints: readonly Endpoint[]): string[][] {
  const alike = Map.groupBy(endpoints, (endpoint) =>
    features.map(([, field]) => words[supportOf(endpoint, field)]).join(),
  );
  return [...alike].map(([support, group]) => [
    `\`${model}\``,
    [...new Set(group.map(({ provider }) => provider.slug))].join(", "),
    ...support.split(","),
  ]);
}

/** Path in the repository → content: what the shipped chat models support at each provider, and who says so. */
export function modelSupportDocument(): Record<string, string> {
  const catalogue = loadCatalogue({ kinds: providerKinds });
  const models = [...catalogue.endpointsByModel].filter(([, [first]]) => first?.model.type === "chat");
  const endpoints = models.flatMap(([, all]) => all).filter(({ apis }) => apis.has("chat"));
  const rows = models.flatMap(([model, all]) =>
    rowsOf(
      model,
      all.filter(({ apis }) => apis.has("chat")),
    ),
  );
  const counts = features.map(([heading, field]) => {
    const found = Map.groupBy(endpoints, (endpoint) => supportOf(endpoint, field));
    return [
      heading,
      ...(["supported", "unsupported", "unknown"] as const).map((one) => String(found.get(one)?.length ?? 0)),
    ];
  });
  const used = new Set(endpoints.map(({ rules }) => rules.dialect));
  const sources = Object.values(dialects)
    .filter(({ name }) => used.has(name))
    .map(({ name, source, asOf }) => [
      `\`${name}\``,
      [
        ...new Set(
          endpoints.filter(({ rules }) => rules.dialect === name).map(({ provider }) => provider.slug),
        ),
      ].join(", "),
      source,
      asOf,
    ]);
  const text = [
    "<!-- Generated from the shipped catalogue by npm run generate. Do not edit. -->",
    "# What models support",
    "By model and provider of the shipped catalogue. `yes` and `no` follow from what the provider's API takes (sources below), narrowed by what the catalogue says of the model. `?` is unknown: the field is sent to providers that ignore what they do not know, and with `require_parameters` such an endpoint is excluded. [Compatibility](compatibility.md) shows what happens to every field.",
    "## Totals",
    `${endpoints.length} endpoints of ${models.length} chat models.`,
    markdownTable([["Feature", "yes", "no", "?"], ...counts]),
    "## Models",
    markdownTable([["Model", "Providers", ...features.map(([heading]) => heading)], ...rows]),
    "## Sources",
    markdownTable([["API", "Providers", "Source", "Read on"], ...sources]),
  ];
  return { "docs/model-support.md": `${text.join("\n\n")}\n` };
}
