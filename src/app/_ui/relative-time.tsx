import { Text } from "@mantine/core";
import { formatAbsolute, formatAge } from "../_lib/format.ts";

/** `3 min ago`, with the full date and time on hover. */
export function RelativeTime({ iso, nowMs }: { iso: string; nowMs: number }) {
  return (
    <Text
      component="time"
      dateTime={iso}
      title={formatAbsolute(iso)}
      size="sm"
      style={{ whiteSpace: "nowrap" }}
    >
      {formatAge(nowMs - Date.parse(iso))}
    </Text>
  );
}
