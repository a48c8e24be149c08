import { Alert, List, Text } from "@mantine/core";
import { TRPCClientError } from "@trpc/client";
import { listOf, numberOf, recordOf, textOf } from "#app/_lib/json.ts";
import { FormFailure } from "#app/_ui/form-failure.tsx";

/** What is wrong with a file, by line; empty for other errors. */
function issuesOf(error: unknown): string[] {
  if (!(error instanceof TRPCClientError)) return [];
  const { metadata } = recordOf(recordOf(error.data).error);
  return listOf(recordOf(metadata).issues)
    .map(recordOf)
    .map(({ path, line, message }) => {
      const at = numberOf(line);
      const place = [textOf(path), at === undefined ? "" : `line ${at}`].filter(Boolean).join(", ");
      return `${place || "file"}: ${textOf(message)}`;
    });
}

/** Why there is no plan: all problems of the file, or the error. */
export function PlanFailure({ error }: { error: unknown }) {
  const issues = issuesOf(error);
  if (issues.length < 2) return <FormFailure error={error} />;
  return (
    <Alert color="red" role="alert" title={`The file has ${issues.length} problems`}>
      <List size="sm" spacing={4}>
        {issues.map((issue) => (
          <List.Item key={issue}>
            <Text size="sm" style={{ overflowWrap: "anywhere" }}>
              {issue}
            </Text>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
