"use client";

import { Text, Tooltip } from "@mantine/core";
import { formatAbsolute, formatAge } from "../_lib/format.ts";

/** `3 min ago`, with the full date and time on hover and focus. */
export function RelativeTime({ iso, nowMs }: { iso: string; nowMs: number }) {
  return (
    <Tooltip label={formatAbsolute(iso)} withArrow events={{ hover: true, focus: true, touch: true }}>
      <Text component="time" dateTime={iso} size="sm" tabIndex={0} style={{ whiteSpace: "nowrap" }}>
        {formatAge(nowMs - Date.parse(iso))}
      </Text>
    </Tooltip>
  );
}
