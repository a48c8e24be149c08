import { Code, Group, Stack, Text } from "@mantine/core";
import type { inferRouterOutputs } from "@trpc/server";
import { formatAbsolute, formatCount, formatEur } from "#app/_lib/format.ts";
import { CodeBlock } from "#app/_ui/code-block.tsx";
import { CopyButton } from "#app/_ui/copy-button.tsx";
import { ExcludedList } from "#app/_ui/excluded-list.tsx";
import { Facts } from "#app/_ui/facts.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import type { AppRouter } from "#server/api/root.ts";
import { RefusalReasons } from "./refusal-reasons.tsx";

type Refused = inferRouterOutputs<AppRouter>["refusedRequests"]["list"]["data"][number];

interface RefusedSheetProps {
  readonly refused: Refused;
  readonly keyName: string;
  readonly onClose: () => void;
}

const newestShown = 5;

/** Similar refused requests: the error sent to the clients, and the excluded endpoints with the reasons. */
export function RefusedSheet({ refused, keyName, onClose }: RefusedSheetProps) {
  const { message, excluded, metadata, request_ids: requestIds, count } = refused;
  return (
    <Sheet title={message} onClose={onClose}>
      <Stack gap="lg">
        {excluded && excluded.length > 0 && <RefusalReasons id={refused.id} />}
        <Facts
          label="Refusal"
          rows={[
            ["Error", refused.error_code],
            ["HTTP status", refused.http_status],
            ["Field", refused.param],
            ["Operation", refused.operation],
            ["Requested model", refused.model],
            ["Missing credit", refused.missing_eur && formatEur(refused.missing_eur)],
            ["Key", keyName],
            ["Count", formatCount(count)],
            ["First seen", formatAbsolute(refused.first_at)],
            ["Last seen", formatAbsolute(refused.last_at)],
            [
              "Latest requests",
              <Stack key="requests" gap={2}>
                {requestIds
                  .slice(-newestShown)
                  .toReversed()
                  .map((id) => (
                    <Group key={id} gap={4} wrap="nowrap">
                      <Code style={{ overflowWrap: "anywhere" }}>{id}</Code>
                      <CopyButton value={id} label="Copy request ID" />
                    </Group>
                  ))}
              </Stack>,
            ],
          ]}
        />
        {excluded && excluded.length > 0 && (
          <section aria-label="Excluded">
            <Text fw={600}>Excluded endpoints</Text>
            <ExcludedList label="Excluded" excluded={excluded} />
          </section>
        )}
        <CodeBlock code={JSON.stringify(metadata, null, 2)} label="Error metadata sent to the client" />
      </Stack>
    </Sheet>
  );
}
