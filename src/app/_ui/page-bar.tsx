"use client";

import { Group } from "@mantine/core";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { useStanding } from "../_lib/use-may.ts";
import { type Place, placesFor } from "./navigation.ts";
import classes from "./page-bar.module.css";

interface PageBarProps {
  /** Names the bar for those who cannot see it. */
  readonly label: string;
  readonly pages: readonly Place[];
}

/** On a narrow screen the bar is longer than what shows of it. */
const showCurrent = (link: HTMLElement | null) =>
  link?.scrollIntoView({ block: "nearest", inline: "center" });

/** The pages of one screen, side by side. */
export function PageBar({ label, pages }: PageBarProps) {
  const pathname = usePathname();
  const standing = useStanding();
  return (
    <Group component="nav" aria-label={label} gap="lg" wrap="nowrap" className={classes.bar}>
      {placesFor(pages, standing).map(({ path, label }) => (
        <Link
          key={path}
          ref={pathname === path ? showCurrent : undefined}
          href={path}
          className={classes.link}
          aria-current={pathname === path ? "page" : undefined}
        >
          {label}
        </Link>
      ))}
    </Group>
  );
}
