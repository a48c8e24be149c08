import { Box, Text } from "@mantine/core";
import { formatAbsolute, formatCount } from "#app/_lib/format.ts";
import type { Column } from "#app/_ui/data-table.tsx";
import { Eur } from "#app/_ui/money.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { RowActions } from "#app/_ui/row-actions.tsx";
import { Status } from "#app/_ui/status.tsx";
import type { ManagedOrganisation } from "#contract/organisation.ts";

/** What somebody wants to do, and with which organisation. */
export type OpenDialog =
  | { readonly what: "create" }
  | {
      readonly what: "rename" | "invite" | "suspend" | "resume" | "delete";
      readonly organisation: ManagedOrganisation;
    };

function State({ state, suspended_at, suspended_reason }: ManagedOrganisation) {
  if (state === "active") return <Status tone="good">Active</Status>;
  return (
    <>
      <Status tone="bad" title={suspended_at ? `since ${formatAbsolute(suspended_at)}` : undefined}>
        Suspended{" "}
      </Status>
      <Text size="xs" c="dimmed" lineClamp={2} style={{ overflowWrap: "anywhere" }}>
        {suspended_reason}
      </Text>
    </>
  );
}

function peopleText({ people, owners }: ManagedOrganisation): string {
  if (people === 0) return "No members yet";
  const counted = people === 1 ? "1 person" : `${formatCount(people)} people`;
  return owners === 0 ? `${counted}, no owner` : counted;
}

/** The rows' actions ask through `onOpenDialog`. The organisation that runs the installation cannot be stopped from here. */
export const organisationColumns = (
  nowMs: number,
  onOpenDialog: (dialog: OpenDialog) => void,
): readonly Column<ManagedOrganisation>[] => [
  {
    id: "name",
    header: "Name",
    cell: (organisation) => (
      <>
        <Text size="sm" fw={500} style={{ overflowWrap: "anywhere" }}>
          {organisation.name}
        </Text>
        <Text size="xs" c="dimmed">
          {organisation.is_operator ? "Operator of this installation" : peopleText(organisation)}
        </Text>
        <Box hiddenFrom="sm">
          <State {...organisation} />
        </Box>
      </>
    ),
  },
  {
    id: "balance",
    header: "Credit",
    align: "right",
    visibleFrom: "sm",
    cell: ({ balance }) => <Eur value={balance} />,
  },
  { id: "state", header: "Status", visibleFrom: "sm", cell: State },
  {
    id: "made",
    header: "Created",
    visibleFrom: "lg",
    cell: ({ created_at }) => <RelativeTime iso={created_at} nowMs={nowMs} />,
  },
  {
    id: "actions",
    header: "Actions",
    align: "right",
    cell: (organisation) => {
      const { name, state, is_operator } = organisation;
      const action = (
        verb: string,
        what: Exclude<OpenDialog["what"], "create">,
        label = `${verb} ${name}`,
      ) => ({
        verb,
        label,
        onClick: () => onOpenDialog({ what, organisation }),
      });
      const isSuspended = state === "suspended";
      return (
        <RowActions
          actions={[
            action("Rename", "rename"),
            !isSuspended && !is_operator && action("Invite owner", "invite", `Invite owner to ${name}`),
            !isSuspended && !is_operator && action("Suspend", "suspend"),
            isSuspended && action("Resume", "resume"),
            isSuspended && action("Delete", "delete"),
          ]}
        />
      );
    },
  },
];
