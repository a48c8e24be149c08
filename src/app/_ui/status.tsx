import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./status.module.css";

export type Tone = "good" | "bad" | "warning" | "neutral";

/** A state in words, with a dot of its colour: never the colour alone. */
export function Status({ tone, title, children }: { tone: Tone; title?: string; children: ReactNode }) {
  return (
    <Text component="span" size="sm" className={classes.state} title={title}>
      <span className={classes.dot} data-tone={tone} />
      {children}
    </Text>
  );
}
