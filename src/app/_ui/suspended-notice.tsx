"use client";

import { Button, Group, List, Paper, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { OwnOrganisation } from "#contract/overview.ts";
import { goTo } from "../_lib/navigate.ts";
import { signOut } from "../_lib/sign-in-client.ts";
import { useTRPC } from "../_lib/trpc.ts";
import { useMutation } from "../_lib/use-mutation.ts";
import { toastFailure } from "./toast.tsx";

const leave = () => signOut().then(() => goTo("/sign-in"), toastFailure);

/** The other organisations of who reads it, to go on with. */
function Others({ organisations }: { readonly organisations: readonly OwnOrganisation[] }) {
  const change = useMutation(
    useTRPC().session.switchOrganisation.mutationOptions({
      // A full load: nothing of the other organisation may stay in memory.
      onSuccess: () => goTo("/overview"),
      onError: toastFailure,
    }),
  );
  return organisations.map(({ id, name }) => (
    <Button key={id} loading={change.isPending} onClick={() => change.mutate({ org_id: id })}>
      Switch to {name}
    </Button>
  ));
}

/** Replaces every screen while the organisation is suspended: the reason, what it means and what one can do. */
export function SuspendedNotice({ message }: { readonly message: string }) {
  const organisations = useQuery(useTRPC().session.organisations.queryOptions());
  const others = organisations.data?.filter(({ suspended_reason }) => suspended_reason === null) ?? [];
  const suspended = organisations.data?.filter(({ suspended_reason }) => suspended_reason !== null) ?? [];
  const title =
    suspended.length === 1 ? `${suspended[0]?.name} is suspended` : "Your organisation is suspended";
  return (
    <Paper withBorder p="xl" maw={640} mx="auto" bg="var(--console-surface)">
      <Stack gap="md">
        <Title order={1} size="h3" style={{ overflowWrap: "anywhere" }}>
          {title}
        </Title>
        <Text role="alert" style={{ overflowWrap: "anywhere" }}>
          {message}
        </Text>
        <List size="sm" spacing={4}>
          <List.Item>Its API keys and members have no access until it is resumed.</List.Item>
          <List.Item>Nothing was deleted. Keys, rules and records are unchanged.</List.Item>
          <List.Item>The operator of this installation can resume it.</List.Item>
        </List>
        <Group gap="xs">
          <Others organisations={others} />
          <Button component={Link} href="/settings" variant="default">
            Your profile
          </Button>
          <Button variant="default" onClick={leave}>
            Sign out
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
