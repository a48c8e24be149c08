"use client";

import { Badge, Button, Code, Group, List, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { formatAbsolute, formatCount } from "#app/_lib/format.ts";
import { Panel } from "#app/_ui/panel.tsx";
import { Table } from "#app/_ui/table.tsx";
import type { AppliedConfiguration, ConfigurationPlan } from "#contract/configuration.ts";
import { ApplyDialog } from "./apply-dialog.tsx";
import type { PlanRequest } from "./file-panel.tsx";
import { actionTexts, byKind, bySubject, driftText, kindText, summaryText, valueText } from "./plan-text.ts";
import { SecretsForm } from "./secrets-form.tsx";
import { Shown } from "./shown.tsx";

type Change = ConfigurationPlan["changes"][number];

const Value = ({ value }: { value: unknown }) => {
  const text = valueText(value);
  return text === null ? (
    <Text component="span" size="sm" c="dimmed">
      not set
    </Text>
  ) : (
    text
  );
};

function ChangeItem({ change: { name, action, fields } }: { change: Change }) {
  const isLoss = action === "delete" || action === "replace";
  return (
    <Stack gap={4} component="li">
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Badge
          variant={isLoss ? "filled" : "default"}
          color={isLoss ? "red.9" : undefined}
          tt="none"
          fw={500}
          style={{ flexShrink: 0 }}
        >
          {actionTexts[action]}
        </Badge>
        <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
          {name}
        </Text>
      </Group>
      {fields.length > 0 && (
        <Table aria-label={`Fields of ${name}`} layout="fixed" verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Field</Table.Th>
              <Table.Th scope="col">Before</Table.Th>
              <Table.Th scope="col">After</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody style={{ overflowWrap: "anywhere" }}>
            {fields.map(({ field, before, after }) => (
              <Table.Tr key={field}>
                <Table.Th scope="row" fw={400}>
                  <Code>{field}</Code>
                </Table.Th>
                <Table.Td>
                  <Value value={before} />
                </Table.Td>
                <Table.Td>
                  <Value value={after} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}

const listStyle = { listStyle: "none", margin: 0, padding: 0 };

function Changes({ changes }: Pick<ConfigurationPlan, "changes">) {
  return byKind(changes).map(([kind, ofKind]) => (
    <section key={kind} aria-label={kindText(kind)}>
      <Title order={3} size="h6" mb={6}>
        {kindText(kind)}
      </Title>
      <Stack gap="sm" component="ul" style={listStyle}>
        {ofKind.map((change) => (
          <ChangeItem key={`${change.action} ${change.name}`} change={change} />
        ))}
      </Stack>
    </section>
  ));
}

function Consequences({ consequences, traffic }: Pick<ConfigurationPlan, "consequences" | "traffic">) {
  return (
    <Panel title="What past traffic would have done differently">
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {traffic.requests === 1
            ? "1 recorded request"
            : `${formatCount(traffic.requests)} recorded requests`}{" "}
          since {formatAbsolute(traffic.since)}, evaluated with the current state and with the file.
          {traffic.truncated && " Routing was evaluated for the newest of them only."}
        </Text>
        {consequences.length === 0 && <Text size="sm">Nothing.</Text>}
        {bySubject(consequences).map((group) => {
          const { kind = "", name = "" } = group[0] ?? {};
          return (
            <section key={`${kind} ${name}`} aria-label={`${kindText(kind)}: ${name}`}>
              <Title order={3} size="h6">
                {kindText(kind)}: {name}
              </Title>
              <List size="sm" spacing={4} mt={4} style={{ overflowWrap: "anywhere" }}>
                {group.map(({ code, message }) => (
                  <List.Item key={`${code} ${message}`}>{message}</List.Item>
                ))}
              </List>
            </section>
          );
        })}
      </Stack>
    </Panel>
  );
}

/** What stays although the file does not have it. */
function Unlisted({ unlisted }: Pick<ConfigurationPlan, "unlisted">) {
  return (
    <Panel title="Not in the file">
      <Text size="sm" mb="xs">
        These stay. Select “Delete what is not in the file” to delete them.
      </Text>
      <List size="sm" spacing={4} style={{ overflowWrap: "anywhere" }}>
        {unlisted.map(({ kind, name }) => (
          <List.Item key={`${kind} ${name}`}>
            {kindText(kind)}: {name}
          </List.Item>
        ))}
      </List>
    </Panel>
  );
}

interface PlanViewProps {
  readonly request: PlanRequest;
  readonly plan: ConfigurationPlan;
  readonly isPlanning: boolean;
  readonly onSecrets: (secrets: PlanRequest["secrets"]) => void;
  readonly onApply: (digest: string) => Promise<AppliedConfiguration>;
}

/** A plan: what differs, what it means for past traffic, and the button that applies it. */
export function PlanView({ request, plan, isPlanning, onSecrets, onApply }: PlanViewProps) {
  const [isAsking, setAsking] = useState(false);
  const { changes, consequences, unlisted, secrets, traffic } = plan;
  const references = [...new Set([...Object.keys(request.secrets), ...secrets])].sort();
  return (
    <>
      <Shown>
        <Panel title="Plan" aria-busy={isPlanning}>
          <Stack gap="md">
            <Text role="status" fw={600}>
              {driftText(plan, request.prune)}
              {changes.length > 0 && `: ${summaryText(plan)}`}
            </Text>
            <Changes changes={changes} />
            {changes.length > 0 && (
              <Group>
                <Button onClick={() => setAsking(true)}>Apply…</Button>
              </Group>
            )}
          </Stack>
        </Panel>
      </Shown>
      {references.length > 0 && (
        <SecretsForm references={references} missing={secrets} isPending={isPlanning} onSubmit={onSecrets} />
      )}
      {changes.length > 0 && <Consequences consequences={consequences} traffic={traffic} />}
      {!request.prune && unlisted.length > 0 && <Unlisted unlisted={unlisted} />}
      {isAsking && <ApplyDialog plan={plan} onApply={onApply} onClose={() => setAsking(false)} />}
    </>
  );
}
