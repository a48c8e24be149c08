"use client";

import { ActionIcon, Menu, Text } from "@mantine/core";
import Link from "next/link";
import { useState } from "react";
import type { CurrentSession } from "#contract/overview.ts";
import { goTo } from "../_lib/navigate.ts";
import { signOut } from "../_lib/sign-in-client.ts";
import { timeZone } from "../_lib/time-zone.ts";
import { useTRPC } from "../_lib/trpc.ts";
import { useMutation } from "../_lib/use-mutation.ts";
import { CheckIcon, PersonIcon, SignOutIcon } from "./icons.tsx";
import { part } from "./part.tsx";

const TimeZoneDialog = part(() => import("./time-zone-dialog.tsx").then((loaded) => loaded.TimeZoneDialog));

async function leave() {
  try {
    await signOut();
    // A full load, so that nothing of this person stays in memory.
    goTo("/sign-in");
  } catch {
    const { notifications } = await import("@mantine/notifications");
    notifications.show({
      color: "red",
      title: "Still signed in",
      message: "Signing out failed. Try again.",
      closeButtonProps: { "aria-label": "Close" },
    });
  }
}

/** A full load: nothing of the other organisation may stay in memory. */
const reload = () => goTo("/overview");

/** Who is signed in, for which of their organisations, and the way out. */
export function AccountMenu({ session }: { session: CurrentSession }) {
  const change = useMutation(useTRPC().session.switchOrganisation.mutationOptions());
  const [isChoosing, setChoosing] = useState(false);
  return (
    <>
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Account">
            <PersonIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            <Text size="sm" c="var(--mantine-color-text)" truncate>
              {session.email}
            </Text>
            {session.role} of {session.organisation.name}
          </Menu.Label>
          {session.organisations.length > 1 && (
            <>
              <Menu.Divider />
              <Menu.Label>Organisation</Menu.Label>
              {session.organisations.map(({ id, name }) => (
                <Menu.Item
                  key={id}
                  rightSection={id === session.organisation.id ? <CheckIcon width={16} height={16} /> : null}
                  aria-current={id === session.organisation.id || undefined}
                  onClick={() => change.mutate({ org_id: id }, { onSuccess: reload })}
                >
                  {name}
                </Menu.Item>
              ))}
            </>
          )}
          <Menu.Divider />
          <Menu.Item component={Link} href="/settings">
            Settings
          </Menu.Item>
          <Menu.Item onClick={() => setChoosing(true)}>Time zone: {timeZone() ?? "this browser's"}</Menu.Item>
          <Menu.Item component={Link} href="/docs">
            Documentation
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item leftSection={<SignOutIcon width={16} height={16} />} onClick={leave}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isChoosing && <TimeZoneDialog onClose={() => setChoosing(false)} />}
    </>
  );
}
