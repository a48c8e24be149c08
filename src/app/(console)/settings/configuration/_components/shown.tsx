import { Box } from "@mantine/core";
import type { ReactNode } from "react";

/** Leaves room for the header, which stays at the top. */
const headerRoom = 72;

const show = (part: HTMLElement | null) => part?.scrollIntoView({ block: "start" });

/** A part that appears below what was clicked, and is scrolled to once. */
export function Shown({ children }: { children: ReactNode }) {
  return (
    <Box ref={show} style={{ scrollMarginTop: headerRoom }}>
      {children}
    </Box>
  );
}
