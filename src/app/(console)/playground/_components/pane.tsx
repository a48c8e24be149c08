"use client";

import { Alert, Anchor, Badge, Box, Code, Group, Select, Skeleton, Stack, Text } from "@mantine/core";
import Link from "next/link";
import { useState } from "react";
import { formatDuration } from "#app/_lib/format.ts";
import type { Answer } from "#app/_lib/inference.ts";
import { CodeBlock } from "#app/_ui/code-block.tsx";
import { CopyButton } from "#app/_ui/copy-button.tsx";
import { RequestId } from "#app/_ui/failure-alert.tsx";
import { FailureText } from "#app/_ui/failure-text.tsx";
import { Message } from "#app/_ui/message.tsx";
import { Panel } from "#app/_ui/panel.tsx";
import { part } from "#app/_ui/part.tsx";
import { Table } from "#app/_ui/table.tsx";
import { presetPrefix } from "#contract/preset-name.ts";
import type { Column } from "./column.ts";
import type { Content } from "./draft.ts";

const WhyDialog = part(() => import("./why-dialog.tsx").then(({ WhyDialog }) => WhyDialog));

interface PaneProps {
  readonly title: string;
  readonly model: string;
  /** Models that at least one provider may serve under the person's rules. */
  readonly models: readonly { readonly model: string; readonly provider_count: number }[];
  /** Presets that the person can use, as models. */
  readonly presets: readonly string[];
  readonly onModel: (model: string) => void;
  /** The question the answer belongs to. */
  readonly sent: Content;
  readonly column: Column;
}

const providersInWords = (count: number): string =>
  count === 0 ? "not available" : count === 1 ? "1 provider" : `${count} providers`;

/** Slugs of the sandbox's test providers. */
const sandboxPrefix = "sandbox-";

const isPreset = (model: string): boolean => model.startsWith(presetPrefix);

/** A model from a link or the log is listed too, even if no provider may serve it. */
function choicesOf(models: readonly string[], presets: readonly string[], chosen: string) {
  const listed = (among: readonly string[], isListed: boolean) => [
    ...new Set([...among, ...(chosen && isListed ? [chosen] : [])]),
  ];
  const groups = [
    { group: "Models", items: listed(models, !isPreset(chosen)) },
    { group: "Presets", items: listed(presets, isPreset(chosen)) },
  ];
  return groups.filter(({ items }) => items.length > 0);
}

/** One model: its name, the conversation, and the cost and duration of the answer. */
export function Pane(props: PaneProps) {
  const { title, model, models, presets, onModel, sent, column } = props;
  const { turns, answer } = column;
  const counts = new Map(models.map(({ model: id, provider_count: count }) => [id, count]));
  return (
    <Panel title={title} h="100%">
      <Stack gap="md">
        <Select
          aria-label={title}
          placeholder="Choose a model"
          searchable
          allowDeselect={false}
          data={choicesOf([...counts.keys()], presets, model)}
          value={model || null}
          onChange={(chosen) => onModel(chosen ?? "")}
          nothingFoundMessage="No matching model with an eligible provider"
          renderOption={({ option }) => (
            <Group justify="space-between" wrap="nowrap" w="100%">
              <Text size="sm">{option.value}</Text>
              {!isPreset(option.value) && (
                <Text size="xs" c="dimmed">
                  {providersInWords(counts.get(option.value) ?? 0)}
                </Text>
              )}
            </Group>
          )}
        />
        {turns.map((turn, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a conversation only grows at its end, so indexes are stable
          <Message key={at} item={{ ...turn }} />
        ))}
        {answer && sent !== "" && <Message item={{ role: "user", content: sent }} />}
        {answer ? <Answered answer={answer} /> : turns.length === 0 && <Hint />}
      </Stack>
    </Panel>
  );
}

const Hint = () => (
  <Text c="dimmed" size="sm">
    The answer appears here, with its provider, cost and duration.
  </Text>
);

function Answered({ answer }: { answer: Answer }) {
  const { text, reasoning, toolCalls, ranking, failure, done } = answer;
  const empty = text === "" && reasoning === "" && toolCalls.length === 0 && ranking.length === 0;
  return (
    <Stack gap="xs" aria-live="polite" aria-busy={!done}>
      <Group justify="space-between">
        <Text size="xs" c="dimmed" fw={600}>
          Model
        </Text>
        {done && text !== "" && <CopyButton value={text} label="Copy the answer" />}
      </Group>
      {empty && !done && <Skeleton h={72} radius="sm" />}
      {reasoning !== "" && (
        <Box component="details">
          <Text component="summary" size="xs" c="dimmed">
            Reasoning
          </Text>
          <Text size="sm" c="dimmed" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
            {reasoning}
          </Text>
        </Box>
      )}
      {text !== "" && (
        <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {text}
        </Text>
      )}
      {answer.provider?.startsWith(sandboxPrefix) && (
        <Text size="xs" c="dimmed">
          Random words from the sandbox, which is no model.{" "}
          <Anchor component={Link} href="/providers/credentials?add=choose" inherit>
            Add a provider credential
          </Anchor>{" "}
          for real answers.
        </Text>
      )}
      {toolCalls.map((call) => (
        <CodeBlock
          key={`${call.name} ${call.arguments}`}
          label={`call of ${call.name}`}
          code={`${call.name}(${call.arguments})`}
        />
      ))}
      {ranking.length > 0 && <Ranking ranking={ranking} />}
      {failure && (
        <Alert color={failure.code === "STOPPED" ? "gray" : "red"} role="alert">
          <Text size="sm">
            <FailureText failure={failure} />
          </Text>
          {failure.requestId && <RequestId id={failure.requestId} />}
        </Alert>
      )}
      {done && answer.generationId && <Facts answer={answer} />}
    </Stack>
  );
}

function Ranking({ ranking }: Pick<Answer, "ranking">) {
  return (
    <Table aria-label="Documents, best first" verticalSpacing={6}>
      <Table.Tbody>
        {ranking.map(({ index, score, text }) => (
          <Table.Tr key={index}>
            <Table.Td w={72}>
              <Code>{score.toFixed(3)}</Code>
            </Table.Td>
            <Table.Td>{text}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Six digits are enough here; the log has all of them. */
const money = (sign: string, amount: number) => `${sign}${amount.toFixed(6)}`;

/** The provider with the strategy that chose it, the cost and the duration. */
function Facts({ answer }: { answer: Answer }) {
  const { usage, provider, strategy, fallbacks, firstContentMs, tookMs, generationId } = answer;
  const [isAsking, setAsking] = useState(false);
  return (
    <Group gap="xs" role="group" aria-label="How it was served">
      {provider && (
        <Badge variant="light" tt="none">
          {provider}
          {strategy && ` · ${strategy}`}
        </Badge>
      )}
      {fallbacks > 0 && (
        <Badge variant="light" color="yellow" tt="none">
          {fallbacks === 1 ? "1 fallback" : `${fallbacks} fallbacks`}
        </Badge>
      )}
      {usage && (
        <Text size="xs" c="dimmed">
          {money("€", usage.cost_eur)} · {money("$", usage.cost)}
        </Text>
      )}
      {usage?.tokensIn !== undefined && (
        <Text size="xs" c="dimmed">
          {usage.tokensIn} in · {usage.tokensOut ?? 0} out
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {firstContentMs !== null && `first token ${formatDuration(firstContentMs)} · `}
        {formatDuration(tookMs)} total
      </Text>
      <Anchor component="button" type="button" size="xs" onClick={() => setAsking(true)}>
        Why this provider
      </Anchor>
      {isAsking && generationId && <WhyDialog id={generationId} onClose={() => setAsking(false)} />}
    </Group>
  );
}
