import { Anchor, Text } from "@mantine/core";
import { Fragment } from "react";
import type { Citation } from "#contract/catalogue-view.ts";
import { formatDay } from "../_lib/format.ts";

interface KnownFromProps {
  readonly sources: readonly Citation[];
  /** `YYYY-MM-DD`, or as precise as the source was. */
  readonly asOf: string | null;
  readonly confidence?: string;
}

/** Where a claim comes from, each source with its address, then how old it is and how sure. */
export function Sources({ sources, asOf, confidence }: KnownFromProps) {
  return (
    <Text size="xs" c="dimmed" component="div">
      {sources.length === 0 && "no source"}
      {sources.map(({ title, url }, index) => (
        <Fragment key={title}>
          {index > 0 && "; "}
          {url === null ? (
            title
          ) : (
            <Anchor href={url} target="_blank" rel="noreferrer" inherit c="dimmed" underline="always">
              {title}
            </Anchor>
          )}
        </Fragment>
      ))}
      {asOf && ` · ${formatDay(asOf)}`}
      {confidence && ` · ${confidence} confidence`}
    </Text>
  );
}
