"use client";

import { ActionIcon, AppShell, Box, Burger, Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { useQueryState } from "nuqs";
import type { ReactNode } from "react";
import type { CurrentSession } from "#contract/overview.ts";
import { failureOf } from "../_lib/failure.ts";
import { useTRPC } from "../_lib/trpc.ts";
import { ConnectionBanner } from "./connection-banner.tsx";
import { CompassIcon, SearchIcon } from "./icons.tsx";
import { AccountMenu, openPalette, Palette, ThemeMenu } from "./lazy.tsx";
import { pathWithRange, sidebarOf } from "./navigation.ts";
import classes from "./shell.module.css";
import { Shortcuts } from "./shortcuts.tsx";
import { UnsavedGuard } from "./unsaved-guard.tsx";

/** The name of the product, which leads to the overview, and that of the organisation. */
const Brand = ({ organisation }: { organisation: string | undefined }) => (
  <>
    <Link href="/overview" className={classes.logo} aria-label="Portolan">
      <CompassIcon width={22} height={22} className={classes.mark} />
      <Text component="span" fw={650} visibleFrom="sm">
        Portolan
      </Text>
    </Link>
    {organisation !== undefined && (
      <Text size="sm" c="dimmed" truncate>
        <Box component="span" visibleFrom="sm" mr={8} aria-hidden="true">
          /
        </Box>
        {organisation}
      </Text>
    )}
  </>
);

/** Opens the palette; on a narrow screen only an icon. */
const SearchButton = () => (
  <>
    <Button
      visibleFrom="sm"
      variant="default"
      size="xs"
      leftSection={<SearchIcon width={14} height={14} />}
      rightSection={<kbd className={classes.keys}>⌘K</kbd>}
      onClick={openPalette}
    >
      Search
    </Button>
    <ActionIcon
      hiddenFrom="sm"
      variant="subtle"
      color="gray"
      size="lg"
      onClick={openPalette}
      aria-label="Search"
    >
      <SearchIcon />
    </ActionIcon>
  </>
);

interface SidebarLinksProps {
  readonly session: CurrentSession | undefined;
  readonly pathname: string;
  readonly onNavigate: () => void;
}

function SidebarLinks({ session, pathname, onNavigate }: SidebarLinksProps) {
  const [range] = useQueryState("range");
  return sidebarOf(session).map(({ path, label, Icon }) => (
    <Link
      key={path}
      href={pathWithRange(path, range)}
      aria-current={pathname.startsWith(path) ? "page" : undefined}
      onClick={onNavigate}
      className={classes.link}
    >
      <Icon />
      {label}
    </Link>
  ));
}

/** The frame of every screen. Works without a session too: the API reference is open to anybody. */
export function Shell({ children }: { children: ReactNode }) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const session = useQuery(useTRPC().session.get.queryOptions());
  const pathname = usePathname();
  const isSignedOut = session.isError && failureOf(session.error).code === "UNAUTHORIZED";
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 216, breakpoint: "sm", collapsed: { mobile: !opened } }}
      padding={{ base: "md", sm: "xl" }}
    >
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <AppShell.Header className={classes.bar}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap" className={classes.brand}>
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? "Close navigation" : "Open navigation"}
              aria-expanded={opened}
            />
            <Brand organisation={session.data?.organisation.name} />
          </Group>
          <Group gap={4} wrap="nowrap">
            <SearchButton />
            <ThemeMenu />
            {session.data && <AccountMenu session={session.data} />}
            {isSignedOut && pathname !== "/overview" && (
              <Button component={Link} href="/sign-in" size="xs">
                Sign in
              </Button>
            )}
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" className={classes.bar} aria-label="Screens">
        <SidebarLinks session={session.data} pathname={pathname} onNavigate={close} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={classes.main}>
        <ConnectionBanner />
        {children}
      </AppShell.Main>
      <Palette />
      <Shortcuts />
      <UnsavedGuard />
    </AppShell>
  );
}
