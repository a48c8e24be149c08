"use client";

import { Group } from "@mantine/core";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { useAccess } from "../_lib/use-may.ts";
import { type ScreenPath, tabsOf } from "./navigation.ts";
import classes from "./screen-tabs.module.css";

interface ScreenTabsProps {
  readonly path: ScreenPath;
  /** Accessible name of the tabs. */
  readonly label: string;
}

/** On a narrow screen the tabs scroll: the current one is brought into view. */
const showCurrent = (link: HTMLElement | null) =>
  link?.scrollIntoView({ block: "nearest", inline: "center" });

/** Links to a screen and its subpages. */
export function ScreenTabs({ path, label }: ScreenTabsProps) {
  const pathname = usePathname();
  const tabs = tabsOf(path, useAccess());
  if (tabs.length === 0) return null;
  return (
    <Group component="nav" aria-label={label} gap="lg" wrap="nowrap" className={classes.tabs}>
      {tabs.map((tab) => (
        <Link
          key={tab.path}
          ref={pathname === tab.path ? showCurrent : undefined}
          href={tab.path}
          className={classes.link}
          aria-current={pathname === tab.path ? "page" : undefined}
        >
          {tab.label}
        </Link>
      ))}
    </Group>
  );
}
