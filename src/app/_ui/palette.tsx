"use client";

import { useMantineColorScheme } from "@mantine/core";
import { Spotlight } from "@mantine/spotlight";
import { useRouter } from "next/navigation";
import { colorSchemes } from "./color-schemes.ts";
import { SearchIcon } from "./icons.tsx";
import { screens } from "./navigation.ts";

/** ⌘K: go to a screen, change the theme. */
export function Palette() {
  const router = useRouter();
  const { setColorScheme } = useMantineColorScheme();
  const actions = [
    {
      group: "Go to",
      actions: screens.map(({ path, label, description, Icon }) => ({
        id: path,
        label,
        description,
        leftSection: <Icon />,
        onClick: () => router.push(path),
      })),
    },
    {
      group: "Theme",
      actions: colorSchemes.map(({ value, label, Icon }) => ({
        id: `theme-${value}`,
        label: `Theme: ${label}`,
        leftSection: <Icon />,
        onClick: () => setColorScheme(value),
      })),
    },
  ];
  return (
    <Spotlight
      actions={actions}
      shortcut="mod + K"
      nothingFound="Nothing found"
      highlightQuery
      scrollable
      attributes={{ content: { "aria-label": "Commands" } }}
      searchProps={{
        leftSection: <SearchIcon />,
        placeholder: "Go to or do…",
        "aria-label": "Search commands",
      }}
    />
  );
}
