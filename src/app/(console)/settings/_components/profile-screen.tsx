"use client";

import { SimpleGrid, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "#app/_lib/trpc.ts";
import { FailureAlert } from "#app/_ui/failure-alert.tsx";
import { Screen } from "#app/_ui/screen.tsx";
import { NamePanel } from "./name-panel.tsx";
import { PasswordPanel } from "./password-panel.tsx";
import { SessionsPanel } from "./sessions-panel.tsx";

/** A person's own account: name, password, where they are signed in. */
export function ProfileScreen() {
  const profile = useQuery(useTRPC().profile.get.queryOptions());
  const refresh = () => void profile.refetch();
  return (
    <Screen path="/settings">
      {profile.isError && <FailureAlert error={profile.error} onRetry={refresh} />}
      {profile.isPending && <Skeleton h={420} radius="md" />}
      {profile.data && (
        <>
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
            <NamePanel profile={profile.data} onChanged={refresh} />
            <PasswordPanel profile={profile.data} onChanged={refresh} />
          </SimpleGrid>
          <SessionsPanel sessions={profile.data.sessions} onChanged={refresh} />
        </>
      )}
    </Screen>
  );
}
