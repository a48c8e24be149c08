"use client";

import { Badge, Code, Group, Paper, Stack, Tabs, Text, Title } from "@mantine/core";
import { curl } from "#app/_lib/curl.ts";
import { CodeBlock } from "#app/_ui/code-block.tsx";
import { Table } from "#app/_ui/table.tsx";
import { type ApiDocument, type Entry, jsonOf, needsKey, type Parameter } from "./document.ts";
import { Near } from "./near.tsx";
import { Prose } from "./prose.tsx";
import type { Schemas } from "./schema.ts";
import { SchemaTree, TypeLine } from "./schema-tree.tsx";
import { TryIt } from "./try-it.tsx";

const methodColors: Record<string, string> = {
  GET: "sea",
  POST: "#1f7a33",
  PUT: "#a8410a",
  PATCH: "#a8410a",
  DELETE: "red.9",
};

function Parameters({ parameters, schemas }: { parameters: readonly Parameter[]; schemas: Schemas }) {
  return (
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Parameter</Table.Th>
          <Table.Th scope="col">Type</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {parameters.map(({ name, in: place, required, description, schema = {} }) => (
          <Table.Tr key={`${place} ${name}`}>
            <Table.Td style={{ verticalAlign: "top" }}>
              <Code fz="sm">{name}</Code>
              <Text size="xs" c="dimmed">
                {place}
                {required ? ", required" : ""}
              </Text>
            </Table.Td>
            <Table.Td>
              <TypeLine schema={schema} schemas={schemas} />
              <Prose text={description ?? schema.description ?? ""} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Responses({ entry, schemas }: { entry: Entry; schemas: Schemas }) {
  const responses = Object.entries(entry.operation.responses ?? {});
  const first = responses[0];
  if (!first) return null;
  return (
    <Tabs defaultValue={first[0]} keepMounted={false} variant="outline">
      <Tabs.List aria-label="Responses">
        {responses.map(([status]) => (
          <Tabs.Tab key={status} value={status}>
            {status}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {responses.map(([status, { description, content }]) => {
        const json = jsonOf(content);
        return (
          <Tabs.Panel key={status} value={status} pt="sm">
            {description && <Prose text={description} />}
            {json?.example !== undefined && (
              <CodeBlock
                label={`example of ${status} for ${entry.operation.summary ?? entry.id}`}
                code={JSON.stringify(json.example, null, 2)}
              />
            )}
            {json?.schema && <SchemaTree schema={json.schema} schemas={schemas} />}
          </Tabs.Panel>
        );
      })}
    </Tabs>
  );
}

/** The URL with the required query parameters; their values are examples or their names. */
function exampleUrl(base: string, { path, operation }: Entry): string {
  const query = (operation.parameters ?? [])
    .filter(({ in: place, required }) => place === "query" && required)
    .map(
      ({ name, example, schema }) =>
        `${name}=${encodeURIComponent(String(example ?? schema?.enum?.[0] ?? name))}`,
    );
  return `${base}${path}${query.length > 0 ? `?${query.join("&")}` : ""}`;
}

/** Height of most operations, in pixels. */
const detailsHeight = 520;

/** One operation: description, parameters, body, responses, and a command to try it. */
export function OperationPanel({ entry, document }: { entry: Entry; document: ApiDocument }) {
  const { id, method, path, operation } = entry;
  const schemas = document.components?.schemas ?? {};
  const body = jsonOf(operation.requestBody?.content);
  const withKey = needsKey(document, operation);
  const base = `${window.location.origin}${document.servers?.[0]?.url ?? ""}`;
  const command = curl({
    method,
    url: exampleUrl(base, entry),
    withKey,
    body: body ? (body.example ?? {}) : undefined,
  });
  return (
    <Paper
      component="article"
      id={id}
      withBorder
      p="lg"
      bg="var(--console-surface)"
      style={{ scrollMarginTop: 72 }}
    >
      <Stack gap="md">
        <div>
          <Group gap="xs" mb={4}>
            <Badge radius="sm" color={methodColors[method] ?? "gray"}>
              {method}
            </Badge>
            <Text ff="monospace" size="sm" style={{ overflowWrap: "anywhere" }}>
              {path}
            </Text>
            <Text size="xs" c="dimmed">
              {withKey ? "API key required" : "Public"}
            </Text>
          </Group>
          <Title order={3} size="h4">
            {operation.summary ?? id}
          </Title>
          {operation.description && <Prose text={operation.description} />}
        </div>
        <Near height={detailsHeight}>
          {() => (
            <>
              <CodeBlock label={`curl for ${operation.summary ?? id}`} code={command} />
              <TryIt
                entry={entry}
                base={base}
                withKey={withKey}
                example={body ? (body.example ?? {}) : undefined}
              />
              {operation.parameters && operation.parameters.length > 0 && (
                <Parameters parameters={operation.parameters} schemas={schemas} />
              )}
              {body?.schema && (
                <div>
                  <Title order={4} size="h6" mb="xs">
                    Body
                  </Title>
                  <SchemaTree schema={body.schema} schemas={schemas} />
                </div>
              )}
              <div>
                <Title order={4} size="h6" mb="xs">
                  Responses
                </Title>
                <Responses entry={entry} schemas={schemas} />
              </div>
            </>
          )}
        </Near>
      </Stack>
    </Paper>
  );
}
