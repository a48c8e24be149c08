import type { EndpointFacts } from "#contract/endpoint-facts.ts";
import { countryName, placeText } from "#contract/places.ts";
import { FactValue } from "./fact-value.tsx";
import { Facts } from "./facts.tsx";
import { retentionText, trainingText } from "./policy-badges.tsx";

const yesOrNo = (value: boolean): string => (value ? "Yes" : "No");

interface EndpointFactsTableProps {
  readonly facts: EndpointFacts;
  /** A fact that had expired before this day (UTC) is shown as expired. */
  readonly day: string;
}

/** What was known of an endpoint on a day. */
export function EndpointFactsTable({ facts, day }: EndpointFactsTableProps) {
  const { endpoint, provider, place, training, retention_days } = facts;
  const at = <Fact extends { readonly expires_at: string | null }>(fact: Fact) => ({
    ...fact,
    expired: fact.expires_at !== null && fact.expires_at < day,
  });
  return (
    <Facts
      label={`Facts about ${endpoint}`}
      rows={[
        [
          "Legal entity",
          // No rule asks for it, so that it is unknown counts as nothing.
          provider.legal_entity?.value ? (
            <FactValue key="entity" fact={at(provider.legal_entity)} show={(name) => name} />
          ) : (
            "Unknown"
          ),
        ],
        ["Headquarters", provider.headquarters && countryName(provider.headquarters)],
        [
          "Inference runs in",
          <FactValue
            key="place"
            fact={at({ ...place, value: place })}
            show={({ countries, region_groups }) => placeText(countries, region_groups)}
          />,
        ],
        ["EU-owned", <FactValue key="eu" fact={at(provider.eu_owned)} show={yesOrNo} />],
        ["Training", <FactValue key="training" fact={at(training)} show={trainingText} />],
        ["Retention", <FactValue key="days" fact={at(retention_days)} show={retentionText} />],
        [
          "Data stored in",
          <FactValue
            key="storage"
            fact={at(provider.storage_countries)}
            show={(codes) => codes.map(countryName).join(", ")}
          />,
        ],
      ]}
    />
  );
}
