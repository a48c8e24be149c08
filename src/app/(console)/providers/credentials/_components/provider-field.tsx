import { Alert, Code, Select } from "@mantine/core";
import type { CatalogueProvider } from "#contract/catalogue-view.ts";

interface ProviderFieldProps {
  readonly providers: readonly CatalogueProvider[];
  readonly value: string;
  readonly onChange: (slug: string) => void;
}

/** The provider of a new credential. */
export function ProviderField({ providers, value, onChange }: ProviderFieldProps) {
  return (
    <Select
      label="Provider"
      placeholder="Choose a provider"
      required
      searchable
      allowDeselect={false}
      value={value || null}
      onChange={(slug) => slug && onChange(slug)}
      data={providers.map(({ slug, name }) => ({ value: slug, label: name }))}
      nothingFoundMessage="No matching provider"
    />
  );
}

/** For providers that every operator reaches at another address. */
export function BaseUrlNotice({ provider: { name, unusable } }: { provider: CatalogueProvider }) {
  if (unusable !== "no_base_url") return null;
  return (
    <Alert variant="default" title="Base URL not set">
      The operator must set <Code>base_url</Code> for {name} under Own providers or in{" "}
      <Code>CATALOG_FILE</Code> before requests can be sent.
    </Alert>
  );
}
