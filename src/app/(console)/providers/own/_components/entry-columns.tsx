import { Switch, Text } from "@mantine/core";
import { formatDay } from "#app/_lib/format.ts";
import type { Column } from "#app/_ui/data-table.tsx";
import { Status } from "#app/_ui/status.tsx";
import { TitleCell } from "#app/_ui/title-cell.tsx";
import type { CatalogueEntry } from "#contract/catalogue-entry.ts";

const sections: Record<CatalogueEntry["section"], string> = {
  provider: "Provider",
  model: "Model",
  endpoint: "Endpoint",
};
const scopes: Record<CatalogueEntry["scope"], string> = {
  organisation: "Your organisation",
  installation: "All organisations",
};
const layers: Record<NonNullable<CatalogueEntry["overrides"]>, string> = {
  shipped: "the shipped catalogue",
  update: "the catalogue update",
  file: "CATALOG_FILE",
  installation: "the installation",
  organisation: "your organisation",
};

/** What an entry does: it adds something, or replaces facts of a lower layer. */
export const effectOf = ({ overrides }: CatalogueEntry): string =>
  overrides === null ? "Added" : `Override of ${layers[overrides]}`;

function StateCell({ entry: { enabled, problem } }: { entry: CatalogueEntry }) {
  if (!enabled) return <Status tone="neutral">Disabled</Status>;
  if (problem !== null)
    return (
      <>
        <Status tone="bad">Not used</Status>
        <Text component="span" size="xs" c="dimmed" display="block" lineClamp={2}>
          {problem}
        </Text>
      </>
    );
  return <Status tone="good">In use</Status>;
}

/** `setEnabled` is null for who may only read. */
export function columnsOf(
  setEnabled: ((row: CatalogueEntry, enabled: boolean) => void) | null,
): Column<CatalogueEntry>[] {
  return [
    {
      id: "name",
      header: "Entry",
      compare: (a, b) => a.name.localeCompare(b.name, "en"),
      cell: ({ name, section }) => <TitleCell title={name} detail={sections[section]} />,
    },
    { id: "effect", header: "Effect", visibleFrom: "sm", cell: effectOf },
    { id: "scope", header: "Available to", visibleFrom: "sm", cell: ({ scope }) => scopes[scope] },
    {
      id: "source",
      header: "Source",
      visibleFrom: "md",
      cell: ({ source, as_of }) => (
        <TitleCell title={source ?? "Your statement"} detail={as_of && formatDay(as_of)} />
      ),
    },
    { id: "state", header: "State", cell: (entry) => <StateCell entry={entry} /> },
    ...(setEnabled
      ? [
          {
            id: "on",
            header: "On",
            align: "right" as const,
            cell: (entry: CatalogueEntry) => (
              <Switch
                display="inline-block"
                aria-label={`Use ${entry.name}`}
                checked={entry.enabled}
                onChange={(event) => setEnabled(entry, event.currentTarget.checked)}
              />
            ),
          },
        ]
      : []),
  ];
}
