import { Box, type BoxProps } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./scroll-region.module.css";

interface ScrollRegionProps extends BoxProps {
  /** What the region contains, for screen readers. */
  readonly label: string;
  readonly children: ReactNode;
}

/**
 * Content that scrolls in an area of its own, by keyboard too, with the scroll bars of the browser: Mantine's
 * `ScrollArea` brings 20 kB of positioning to every screen.
 */
export function ScrollRegion({ label, children, className, ...rest }: ScrollRegionProps) {
  return (
    <Box
      component="section"
      aria-label={label}
      tabIndex={0}
      {...rest}
      className={[classes.region, className].filter(Boolean).join(" ")}
    >
      {children}
    </Box>
  );
}
