"use client";

import { useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { goTo, useNavigate } from "../_lib/navigate.ts";
import { useTRPC } from "../_lib/trpc.ts";
import { useAccess } from "../_lib/use-may.ts";
import { useMutation } from "../_lib/use-mutation.ts";
import { colorSchemes } from "./color-schemes.ts";
import { PersonIcon, PlusIcon, SearchIcon } from "./icons.tsx";
import { creationsOf, paletteScreensOf } from "./navigation.ts";
import { unsavedPage } from "./unsaved.tsx";
import type { useSearch } from "./use-search.ts";

type Search = ReturnType<typeof useSearch>;
type Place = Search["recent"][number];

/** What was found, or was opened last. */
function useFound(text: string, { hits, recent, remember }: Search) {
  const go = useNavigate();
  const open = (place: Place) =>
    unsavedPage.leave(() => {
      remember(place);
      go(place.path);
    });
  const actionOf = (place: Place) => ({
    label: place.name,
    description: place.kind,
    leftSection: <SearchIcon />,
    onClick: () => open(place),
  });
  return [
    { group: "Recent", actions: recent.map((place) => ({ id: `recent ${place.path}`, ...actionOf(place) })) },
    {
      group: "Found",
      actions: hits.map((hit) => ({
        id: `${hit.kind} ${hit.id}`,
        // An ID may have been looked for: the name need not contain it.
        keywords: [text, hit.id],
        ...actionOf(hit),
      })),
    },
  ];
}

/** The organisations that the person can switch to. */
function useOrganisations() {
  const trpc = useTRPC();
  const session = useQuery(trpc.session.get.queryOptions());
  const change = useMutation(trpc.session.switchOrganisation.mutationOptions());
  const others = session.data?.organisations.filter(({ id }) => id !== session.data.organisation.id) ?? [];
  return {
    group: "Organisation",
    actions: others.map(({ id, name }) => ({
      id,
      label: `Switch to ${name}`,
      leftSection: <PersonIcon />,
      // A full load: nothing of the other organisation may stay in memory.
      onClick: () => change.mutate({ org_id: id }, { onSuccess: () => goTo("/overview") }),
    })),
  };
}

/** Everything that the palette offers, in groups. */
export function usePaletteActions(text: string, search: Search) {
  const go = useNavigate();
  const access = useAccess();
  const { setColorScheme } = useMantineColorScheme();
  const found = useFound(text, search);
  const organisations = useOrganisations();
  return [
    ...found,
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
    organisations,
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
}
