"use client";

import { Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { parseAsBoolean, useQueryState } from "nuqs";
import { useState } from "react";
import { useTRPC } from "#app/_lib/trpc.ts";
import { useMay } from "#app/_lib/use-may.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { part } from "#app/_ui/part.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import type { Member } from "#contract/member.ts";
import { MembersTable } from "./members-table.tsx";

/** Dialogs load when they are asked for, invitations when there are any. */
const InvitationsTable = part(() =>
  import("./invitations-table.tsx").then(({ InvitationsTable }) => InvitationsTable),
);
const InviteDialog = part(() => import("./invite-dialog.tsx").then(({ InviteDialog }) => InviteDialog));
const RemoveDialog = part(() => import("./remove-dialog.tsx").then(({ RemoveDialog }) => RemoveDialog));

export function MembersScreen() {
  const trpc = useTRPC();
  const session = useQuery(trpc.session.get.queryOptions());
  const members = useQuery(trpc.members.list.queryOptions({}));
  const invitations = useQuery(trpc.invitations.list.queryOptions({}));
  const mayInvite = useMay("members:write");
  const [inviting, setInviting] = useQueryState("invite", parseAsBoolean.withDefault(false));
  const [removing, setRemoving] = useState<Member | null>(null);
  const refresh = () => {
    void members.refetch();
    void invitations.refetch();
  };
  const failed = members.error ?? invitations.error ?? session.error;
  const own = session.data;
  if (failed || !own) {
    return (
      <Screen path="/settings/members">
        {failed ? <FailureAlert error={failed} onRetry={refresh} /> : <Skeleton h={320} radius="md" />}
      </Screen>
    );
  }
  return (
    <Screen
      path="/settings/members"
      actions={
        mayInvite && (
          <Button size="xs" onClick={() => void setInviting(true)}>
            Invite
          </Button>
        )
      }
    >
      <MembersTable
        members={members.data?.data.filter(({ kind }) => kind === "person")}
        session={own}
        onRemove={setRemoving}
        onChanged={refresh}
      />
      {invitations.data && invitations.data.data.length > 0 && (
        <InvitationsTable invitations={invitations.data.data} session={own} onChanged={refresh} />
      )}
      {inviting && mayInvite && (
        <InviteDialog role={own.role} onClose={() => void setInviting(null)} onInvited={refresh} />
      )}
      {removing && (
        <RemoveDialog
          member={removing}
          self={removing.user_id === own.user_id}
          onClose={() => setRemoving(null)}
          onRemoved={refresh}
        />
      )}
    </Screen>
  );
}
