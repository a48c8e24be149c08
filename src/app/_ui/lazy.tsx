"use client";

import { ActionIcon } from "@mantine/core";
import dynamic from "next/dynamic";
import { PersonIcon, ScreenIcon } from "./icons.tsx";

/** What opens on demand loads after the screen, so that the screen is there sooner. */
export const Palette = dynamic(() => import("./palette.tsx").then(({ Palette }) => Palette), { ssr: false });

export const ShortcutList = dynamic(
  () => import("./shortcut-list.tsx").then(({ ShortcutList }) => ShortcutList),
  { ssr: false },
);

export const UnsavedQuestion = dynamic(
  () => import("./unsaved-question.tsx").then(({ UnsavedQuestion }) => UnsavedQuestion),
  { ssr: false },
);

export const Toasts = dynamic(
  () => import("@mantine/notifications").then(({ Notifications }) => Notifications),
  {
    ssr: false,
  },
);

export const FieldMessages = dynamic(
  () => import("./field-messages.tsx").then(({ FieldMessages }) => FieldMessages),
  { ssr: false },
);

export const ThemeMenu = dynamic(() => import("./theme-menu.tsx").then(({ ThemeMenu }) => ThemeMenu), {
  ssr: false,
  loading: () => (
    <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Theme" disabled bg="transparent">
      <ScreenIcon />
    </ActionIcon>
  ),
});

export const AccountMenu = dynamic(
  () => import("./account-menu.tsx").then(({ AccountMenu }) => AccountMenu),
  {
    ssr: false,
    loading: () => (
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Account" disabled bg="transparent">
        <PersonIcon />
      </ActionIcon>
    ),
  },
);

export async function openPalette(): Promise<void> {
  const { spotlight } = await import("@mantine/spotlight");
  spotlight.open();
}
