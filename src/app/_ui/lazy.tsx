"use client";

import { ActionIcon } from "@mantine/core";
import { PersonIcon, ScreenIcon } from "./icons.tsx";
import { part } from "./part.tsx";

/** In place of a menu until it is there. */
const disabledIcon = (label: string, Icon: typeof PersonIcon) => () => (
  <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} disabled bg="transparent">
    <Icon />
  </ActionIcon>
);

export const Palette = part(() => import("./palette.tsx").then((loaded) => loaded.Palette));
export const ShortcutList = part(() => import("./shortcut-list.tsx").then((loaded) => loaded.ShortcutList));
export const UnsavedQuestion = part(() =>
  import("./unsaved-question.tsx").then((loaded) => loaded.UnsavedQuestion),
);
export const Toasts = part(() => import("@mantine/notifications").then((loaded) => loaded.Notifications));
export const FieldMessages = part(() =>
  import("./field-messages.tsx").then((loaded) => loaded.FieldMessages),
);
export const ConfirmByName = part(() =>
  import("./confirm-by-name.tsx").then((loaded) => loaded.ConfirmByName),
);
export const ThemeMenu = part(
  () => import("./theme-menu.tsx").then((loaded) => loaded.ThemeMenu),
  disabledIcon("Theme", ScreenIcon),
);
export const AccountMenu = part(
  () => import("./account-menu.tsx").then((loaded) => loaded.AccountMenu),
  disabledIcon("Account", PersonIcon),
);

export async function openPalette(): Promise<void> {
  const { spotlight } = await import("@mantine/spotlight");
  spotlight.open();
}
