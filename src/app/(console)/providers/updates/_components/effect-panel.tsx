import { Alert, Code, List, Stack, Text } from "@mantine/core";
import { formatCount } from "#app/_lib/format.ts";
import type { CatalogueComparison } from "#contract/catalogue-update.ts";

const namesShown = 5;

interface NamesProps {
  readonly count: number;
  readonly names: readonly string[];
  readonly text: string;
}

/** A count and the first names; nothing if there are none. */
function Names({ count, names, text }: NamesProps) {
  if (count === 0) return null;
  const more = count - Math.min(namesShown, names.length);
  return (
    <List.Item>
      {text}: {formatCount(count)} (
      {names.slice(0, namesShown).map((name, at) => (
        <span key={name}>
          {at > 0 && ", "}
          <Code style={{ overflowWrap: "anywhere" }}>{name}</Code>
        </span>
      ))}
      {more > 0 && ` and ${formatCount(more)} more`})
    </List.Item>
  );
}

const organisations = (count: number): string =>
  count === 1 ? "1 other organisation" : `${formatCount(count)} other organisations`;

/** What the differences mean: for routing rules, and for entries of the installation. */
export function EffectPanel({ update }: { update: CatalogueComparison }) {
  const { rules, unused_entries: unused, other_organisations: others } = update;
  const isSame = rules.admitted_count + rules.excluded_count === 0;
  return (
    <Stack gap="xs">
      {isSame ? (
        <Text size="sm">The same endpoints are eligible under the routing rules of your organisation.</Text>
      ) : (
        <>
          <Text size="sm">Under the routing rules of your organisation:</Text>
          <List size="sm">
            <Names
              count={rules.admitted_count}
              names={rules.admitted}
              text="Endpoints that become eligible"
            />
            <Names
              count={rules.excluded_count}
              names={rules.excluded}
              text="Endpoints that are removed or no longer eligible"
            />
            <Names
              count={rules.unserved_count}
              names={rules.unserved}
              text="Models that lose their last eligible endpoint"
            />
          </List>
        </>
      )}
      {others.checked_count > 0 && (
        <Text size="sm">
          {others.unserved_count === 0
            ? `Of the ${organisations(others.checked_count)} with routing rules, none loses the last endpoint of a model.`
            : `Of the ${organisations(others.checked_count)} with routing rules, ${formatCount(others.unserved_count)} would lose the last endpoint of a model.`}
        </Text>
      )}
      {unused.length > 0 && (
        <Alert variant="default" title="Entries of the installation that would not be used any more">
          <List size="sm">
            {unused.map(({ section, name, problem }) => (
              <List.Item key={`${section} ${name}`}>
                <Code>{name}</Code> {problem}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </Stack>
  );
}
