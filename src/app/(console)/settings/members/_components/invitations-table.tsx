"use client";

import { Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { formatAbsolute } from "#app/_lib/format.ts";
import { mayDecideAbout, roles } from "#app/_lib/roles.ts";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { useMutation } from "#app/_lib/use-mutation.ts";
import { useNow } from "#app/_lib/use-now.ts";
import { type Column, DataTable } from "#app/_ui/data-table.tsx";
import { Dialog } from "#app/_ui/dialog.tsx";
import { RoleProblem } from "#app/_ui/role-cell.tsx";
import { RowActions } from "#app/_ui/row-actions.tsx";
import { SentInvitation } from "#app/_ui/sent-invitation.tsx";
import { toastDone, toastFailure } from "#app/_ui/toast.tsx";
import type { Invitation } from "#contract/member.ts";
import type { CurrentSession } from "#contract/overview.ts";

interface InvitationsTableProps {
  readonly invitations: readonly Invitation[];
  readonly session: CurrentSession;
  readonly onChanged: () => void;
}

interface ColumnOptions {
  readonly nowMs: number;
  readonly mayDecide: (role: Invitation["role"]) => boolean;
  readonly resend: (id: string) => void;
  readonly revoke: (id: string) => void;
}

const columnsOf = ({ nowMs, mayDecide, resend, revoke }: ColumnOptions): readonly Column<Invitation>[] => [
  {
    id: "email",
    header: "E-mail",
    cell: ({ email, role, problem }) => (
      <>
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {email}
        </Text>
        {problem === null ? (
          <Text size="xs" c="dimmed">
            as {roles.find(({ value }) => value === role)?.label}
          </Text>
        ) : (
          <RoleProblem
            problem={problem}
            effect="The role of this invitation is unknown. Revoke it and invite the person again."
          />
        )}
      </>
    ),
  },
  {
    id: "ends",
    header: "Expires",
    visibleFrom: "sm",
    cell: ({ expires_at }) => (Date.parse(expires_at) < nowMs ? "Expired" : formatAbsolute(expires_at)),
  },
  {
    id: "actions",
    header: "Actions",
    align: "right",
    cell: ({ id, email, role }) =>
      mayDecide(role) && (
        <RowActions
          actions={[
            {
              verb: "Resend",
              label: `Resend the invitation to ${email}`,
              onClick: () => resend(id),
            },
            {
              verb: "Revoke",
              label: `Revoke the invitation of ${email}`,
              onClick: () => revoke(id),
            },
          ]}
        />
      ),
  },
];

/** Invitations that are not accepted yet. */
export function InvitationsTable({ invitations, session, onChanged }: InvitationsTableProps) {
  const nowMs = useNow(30_000);
  const mayWrite = useMay("members:write");
  const trpc = useTRPC();
  const [sent, setSent] = useState<{ email: string; link: string | null } | null>(null);
  const after = { onError: toastFailure, onSettled: onChanged };
  const resend = useMutation(
    trpc.invitations.resend.mutationOptions({
      ...after,
      onSuccess: ({ data, link }) => setSent({ email: data.email, link }),
    }),
  );
  const revoke = useMutation(
    trpc.invitations.revoke.mutationOptions({
      ...after,
      onSuccess: () => toastDone("The invitation is revoked."),
    }),
  );
  const mayDecide = (role: Invitation["role"]) => mayWrite && mayDecideAbout(session.role, role);

  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        Open invitations
      </Title>
      <DataTable
        label="Open invitations"
        columns={columnsOf({
          nowMs,
          mayDecide,
          resend: (id) => resend.mutate({ id }),
          revoke: (id) => revoke.mutate({ id }),
        })}
        rows={invitations}
        rowId={({ id }) => id}
        empty="No open invitations."
      />
      {sent && (
        <Dialog
          title="Invitation resent"
          onClose={() => setSent(null)}
          closeOnClickOutside={sent.link === null}
        >
          <SentInvitation email={sent.email} link={sent.link} onDone={() => setSent(null)} />
        </Dialog>
      )}
    </Stack>
  );
}
