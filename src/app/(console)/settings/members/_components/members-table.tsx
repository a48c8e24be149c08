"use client";

import { Group, NativeSelect, Text } from "@mantine/core";
import { mayDecideAbout, rolesUpTo } from "#app/_lib/roles.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { RelativeTime } from "#app/_ui/relative-time.tsx";
import { RoleCell, RoleProblem } from "#app/_ui/role-cell.tsx";
import { RowActions } from "#app/_ui/row-actions.tsx";
import { Status } from "#app/_ui/status.tsx";
import { toastFailure } from "#app/_ui/toast.tsx";
import type { Member } from "#contract/member.ts";
import type { CurrentSession } from "#contract/overview.ts";
import type { Role } from "#contract/permission.ts";

interface MembersTableProps {
  readonly members: readonly Member[] | undefined;
  readonly session: CurrentSession;
  readonly onRemove: (member: Member) => void;
  readonly onChanged: () => void;
}

interface ColumnOptions {
  readonly nowMs: number;
  readonly choices: ReturnType<typeof rolesUpTo>;
  readonly isSelf: (member: Member) => boolean;
  readonly mayDecide: (member: Member) => boolean;
  readonly onUpdate: (change: { user_id: string; role?: Role; disabled?: boolean }) => void;
  readonly onRemove: (member: Member) => void;
}

const noPermission = "This member has no permission until somebody chooses a role.";

const columnsOf = ({
  nowMs,
  choices,
  isSelf,
  mayDecide,
  onUpdate,
  onRemove,
}: ColumnOptions): readonly Column<Member>[] => [
  {
    id: "person",
    header: "Person",
    cell: (member) => (
      <>
        <Group gap="md">
          <Text size="sm" fw={500} style={{ overflowWrap: "anywhere" }}>
            {member.name}
          </Text>
          {isSelf(member) && <Status tone="good">You</Status>}
          {member.disabled && <Status tone="bad">Disabled</Status>}
        </Group>
        <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {member.email}
        </Text>
      </>
    ),
  },
  {
    id: "role",
    header: "Role",
    cell: (member) =>
      mayDecide(member) ? (
        <>
          <NativeSelect
            size="xs"
            miw={92}
            aria-label={`Role of ${member.name}`}
            value={member.problem === null ? member.role : ""}
            data={[
              ...(member.problem === null ? [] : [{ value: "", label: "Choose a role", disabled: true }]),
              ...choices.map(({ value, label }) => ({ value, label })),
            ]}
            onChange={(event) => {
              const chosen = choices.find(({ value }) => value === event.currentTarget.value);
              if (chosen) onUpdate({ user_id: member.user_id, role: chosen.value });
            }}
          />
          <RoleProblem problem={member.problem} effect={noPermission} />
        </>
      ) : (
        <RoleCell role={member.role} problem={member.problem} effect={noPermission} />
      ),
  },
  {
    id: "joined",
    header: "Joined",
    visibleFrom: "sm",
    cell: ({ created_at }) => <RelativeTime iso={created_at} nowMs={nowMs} />,
  },
  {
    id: "actions",
    header: "Actions",
    align: "right",
    cell: (member) => (
      <RowActions
        actions={[
          mayDecide(member) && {
            verb: member.disabled ? "Enable" : "Disable",
            label: `${member.disabled ? "Enable" : "Disable"} ${member.name}`,
            onClick: () => onUpdate({ user_id: member.user_id, disabled: !member.disabled }),
          },
          (mayDecide(member) || isSelf(member)) && {
            verb: isSelf(member) ? "Leave" : "Remove",
            label: isSelf(member) ? "Leave the organisation" : `Remove ${member.name}`,
            onClick: () => onRemove(member),
          },
        ]}
      />
    ),
  },
];

/** All members of the organisation. Actions that the server would refuse are not offered. */
export function MembersTable({ members, session, onRemove, onChanged }: MembersTableProps) {
  const nowMs = useNow(30_000);
  const mayWrite = useMay("members:write");
  const update = useMutation(
    useTRPC().members.update.mutationOptions({ onError: toastFailure, onSettled: onChanged }),
  );
  const choices = rolesUpTo(session.role);
  const isSelf = ({ user_id }: Member) => user_id === session.user_id;
  const mayDecide = (member: Member) =>
    mayWrite && mayDecideAbout(session.role, member.role) && !isSelf(member);

  return (
    <DataTable
      label="Members"
      columns={columnsOf({ nowMs, choices, isSelf, mayDecide, onUpdate: update.mutate, onRemove })}
      rows={members}
      rowId={({ user_id }) => user_id}
      empty="No members."
      skeletonRows={3}
    />
  );
}
