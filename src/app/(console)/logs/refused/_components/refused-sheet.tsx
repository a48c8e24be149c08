import { Anchor, Code, Group, Stack, Text } from "@mantine/core";
import type { inferRouterOutputs } from "@trpc/server";
import Link from "next/link";
import { formatAbsolute, formatCount } from "#app/_lib/format.ts";
import { CodeBlock } from "#app/_ui/code-block.tsx";
import { CopyButton } from "#app/_ui/copy-button.tsx";
import { ExcludedList } from "#app/_ui/excluded-list.tsx";
import { Facts } from "#app/_ui/facts.tsx";
import { Sheet } from "#app/_ui/sheet.tsx";
import type { AppRouter } from "#server/api/root.ts";

type Refused = inferRouterOutputs<AppRouter>["refusedRequests"]["list"]["data"][number];

interface RefusedSheetProps {
  readonly refused: Refused;
  readonly keyName: string;
  readonly onClose: () => void;
}

const newestShown = 5;

/** Requests that were refused alike: what their clients were told, and who was left out because of what. */
export function RefusedSheet({ refused, keyName, onClose }: RefusedSheetProps) {
  const { message, excluded, metadata, request_ids: requestIds, count } = refused;
  return (
    <Sheet title={message} onClose={onClose}>
      <Stack gap="lg">
        <Facts
          label="Refusal"
          rows={[
            ["Error", refused.error_code],
            ["HTTP status", refused.http_status],
            ["Field", refused.param],
            ["Operation", refused.operation],
            ["Model asked for", refused.model],
            ["Missing", refused.missing_eur === null ? null : `€ ${refused.missing_eur}`],
            ["Key", keyName],
            ["Times", formatCount(count)],
            ["First", formatAbsolute(refused.first_at)],
            ["Last", formatAbsolute(refused.last_at)],
            [
              "Newest requests",
              <Stack key="requests" gap={2}>
                {requestIds
                  .slice(-newestShown)
                  .toReversed()
                  .map((id) => (
                    <Group key={id} gap={4} wrap="nowrap">
                      <Code style={{ overflowWrap: "anywhere" }}>{id}</Code>
                      <CopyButton value={id} label="Copy request id" />
                    </Group>
                  ))}
              </Stack>,
            ],
          ]}
        />
        {excluded && excluded.length > 0 && (
          <section aria-label="Left out">
            <Text fw={600}>Left out</Text>
            <Text size="sm" c="dimmed">
              Nobody was left who may serve it. What binds it is set in the{" "}
              <Anchor size="sm" component={Link} href="/routing-rules">
                routing rules
              </Anchor>{" "}
              or by the request itself.
            </Text>
            <ExcludedList label="Left out" excluded={excluded} />
          </section>
        )}
        <CodeBlock code={JSON.stringify(metadata, null, 2)} label="What the client was told besides" />
      </Stack>
    </Sheet>
  );
}
