import { Text } from "@mantine/core";
import type { CatalogueProvider } from "#contract/catalogue-view.ts";

interface SharedCredentialsNoteProps {
  readonly providers: readonly CatalogueProvider[];
  readonly operator: boolean;
}

const listFormat = new Intl.ListFormat("en-GB");

/** Which providers are reached without a credential of one's own. */
export function SharedCredentialsNote({ providers, operator }: SharedCredentialsNoteProps) {
  if (providers.length === 0) return null;
  const names = providers.filter(({ credentials }) => credentials.installation).map(({ name }) => name);
  return (
    <Text size="sm" c="dimmed">
      {names.length > 0
        ? `Otherwise requests use a shared credential, available for ${listFormat.format(names)}.`
        : "There are no shared credentials."}
      {operator && " As the operator, you can add one for all organisations."}
    </Text>
  );
}
