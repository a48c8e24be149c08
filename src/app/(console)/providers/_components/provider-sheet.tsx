"use client";

import { Anchor, Code, Group, Stack, Text } from "@mantine/core";
import { FactValue } from "#app/_ui/fact-value.tsx";
import { Facts } from "#app/_ui/facts.tsx";
import { retentionText, trainingText } from "#app/_ui/policy-badges.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import { UsableStatus } from "#app/_ui/usable-status.tsx";
import type { CatalogueProvider } from "#contract/catalogue-view.ts";
import { countryName, placeText } from "#contract/places.ts";
import { CredentialFact } from "./credential-fact.tsx";
import { OffersTable } from "./offers-table.tsx";
import { OverrideLink } from "./override-link.tsx";

/** Everything known of a provider, each claim with its source and date. */
export function ProviderSheet({ provider, onClose }: { provider: CatalogueProvider; onClose: () => void }) {
  const { name, description, headquarters, countries, links, slug, unusable } = provider;
  return (
    <Sheet title={name} onClose={onClose}>
      <Stack gap="lg">
        {description && <Text size="sm">{description}</Text>}
        <Facts
          label={name}
          rows={[
            ["Slug", <Code key="slug">{slug}</Code>],
            ["Availability", <UsableStatus key="use" unusable={unusable} />],
            ["Credential", <CredentialFact key="credential" provider={provider} />],
            [
              "Legal entity",
              provider.legal_entity.value === null ? (
                "Unknown"
              ) : (
                <FactValue key="entity" fact={provider.legal_entity} show={(value) => value} />
              ),
            ],
            ["Headquarters", headquarters && countryName(headquarters)],
            ["Inference runs in", placeText(countries, provider.region_groups)],
            ["Region note", provider.region_note],
            [
              "EU-owned",
              <FactValue key="eu" fact={provider.eu_owned} show={(value) => (value ? "Yes" : "No")} />,
            ],
            ["Training", <FactValue key="training" fact={provider.training} show={trainingText} />],
            ["Retention", <FactValue key="days" fact={provider.retention_days} show={retentionText} />],
            [
              "Retention for suspected abuse",
              provider.conditional_retention_days === null
                ? null
                : `${provider.conditional_retention_days} days`,
            ],
            [
              "Data stored in",
              <FactValue
                key="storage"
                fact={provider.storage_countries}
                show={(codes) => codes.map(countryName).join(", ")}
              />,
            ],
            ["Data Privacy Framework", provider.dpf_certified ? "Certified" : null],
            ["Bring your own key", provider.byok_supported ? "Yes" : "No"],
          ]}
        />
        <Group gap="md">
          {links.map(({ label, url }) => (
            <Anchor key={url} size="sm" href={url} target="_blank" rel="noreferrer">
              {label}
            </Anchor>
          ))}
        </Group>
        {provider.not_linked.map(({ labels, reason }) => (
          <Text key={reason} size="xs" c="dimmed">
            {labels.join(", ")}: {reason}.
          </Text>
        ))}
        <OverrideLink provider={slug} />
        <OffersTable provider={slug} />
      </Stack>
    </Sheet>
  );
}
