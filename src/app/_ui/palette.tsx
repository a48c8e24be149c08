"use client";

import { useMantineColorScheme } from "@mantine/core";
import { Spotlight } from "@mantine/spotlight";
import { useQuery } from "@tanstack/react-query";
import { goTo, useNavigate } from "../_lib/navigate.ts";
import { useTRPC } from "../_lib/trpc.ts";
import { useAccess } from "../_lib/use-may.ts";
import { useMutation } from "../_lib/use-mutation.ts";
import { colorSchemes } from "./color-schemes.ts";
import { PersonIcon, PlusIcon, SearchIcon } from "./icons.tsx";
import { creationsOf, paletteScreensOf } from "./navigation.ts";
import { unsavedPage } from "./unsaved.tsx";

/** ⌘K: go to a screen, begin something, change the organisation or the theme. */
export function Palette() {
  const go = useNavigate();
  const access = useAccess();
  const { setColorScheme } = useMantineColorScheme();
  const trpc = useTRPC();
  const session = useQuery(trpc.session.get.queryOptions());
  const change = useMutation(trpc.session.switchOrganisation.mutationOptions());
  const others = session.data?.organisations.filter(({ id }) => id !== session.data.organisation.id) ?? [];
  const organisations = {
    group: "Organisation",
    actions: others.map(({ id, name }) => ({
      id,
      label: `Switch to ${name}`,
      leftSection: <PersonIcon />,
      // A full load: nothing of the other organisation may stay in memory.
      onClick: () => change.mutate({ org_id: id }, { onSuccess: () => goTo("/overview") }),
    })),
  };
  const actions = [
    {
      group: "Go to",
      actions: paletteScreensOf(access).map(({ path, label, description, Icon }) => ({
        id: path,
        label,
        description,
        leftSection: <Icon />,
        onClick: () => unsavedPage.leave(() => go(path)),
      })),
    },
    {
      group: "Create",
      actions: creationsOf(access).map(({ path, label }) => ({
        id: path,
        label,
        leftSection: <PlusIcon />,
        onClick: () => unsavedPage.leave(() => go(path)),
      })),
    },
    ...(others.length > 0 ? [organisations] : []),
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
      actions={actions.filter((group) => group.actions.length > 0)}
      shortcut="mod + K"
      nothingFound="No results"
      highlightQuery
      scrollable
      attributes={{ content: { "aria-label": "Commands" } }}
      searchProps={{
        leftSection: <SearchIcon />,
        placeholder: "Search screens and actions…",
        "aria-label": "Search commands",
      }}
    />
  );
}
