"use client";

import { ActionIcon, Menu, Text } from "@mantine/core";
import type { CurrentSession } from "#contract/overview.ts";
import { signOut } from "../_lib/sign-in-client.ts";
import { PersonIcon, SignOutIcon } from "./icons.tsx";

async function leave() {
  try {
    await signOut();
    // A full load, so that nothing of this person stays in memory.
    window.location.assign("/sign-in");
  } catch {
    const { notifications } = await import("@mantine/notifications");
    notifications.show({ color: "red", title: "Still signed in", message: "Signing out failed. Try again." });
  }
}

/** Who is signed in, and the way out. */
export function AccountMenu({ session }: { session: CurrentSession }) {
  return (
    <Menu position="bottom-end" width={240}>
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
        <Menu.Divider />
        <Menu.Item leftSection={<SignOutIcon width={16} height={16} />} onClick={leave}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
