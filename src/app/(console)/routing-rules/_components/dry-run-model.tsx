import { Text } from "@mantine/core";
import type { inferRouterOutputs } from "@trpc/server";
import { endpointText } from "#app/_lib/endpoint-text.ts";
import lists from "#app/_ui/compact-list.module.css";
import { ExcludedList } from "#app/_ui/excluded-list.tsx";
import type { AppRouter } from "#server/api/root.ts";
import classes from "./dry-run-model.module.css";
import { ParameterList } from "./parameter-list.tsx";

type DryRun = inferRouterOutputs<AppRouter>["routingRules"]["dryRunDraft"]["data"];

interface DryRunModelProps {
  readonly result: DryRun["results"][number];
  readonly draftName: string;
  /** The names of the fields of the tried request. */
  readonly parameters: readonly string[];
  readonly opened: boolean;
}

/** One model: the providers that would be tried, in order, and the excluded ones with reasons. */
export function DryRunModel({ result, draftName, parameters, opened }: DryRunModelProps) {
  const { model, endpoints, provider_count: count, excluded, parameter_changes: changes, reason } = result;
  const details = new Map(result.facts.map((facts) => [facts.endpoint, endpointText(facts)]));
  return (
    <details className={classes.model} open={opened}>
      <summary>
        <Text component="span" size="sm" fw={500}>
          {model}
        </Text>{" "}
        <Text component="span" size="sm" c={count === 0 ? "red.8" : "dimmed"}>
          {count === 0 ? "No eligible provider" : `${count} ${count === 1 ? "provider" : "providers"}`}
        </Text>
      </summary>
      {reason && (
        <Text size="sm" my="xs">
          {reason.message}
        </Text>
      )}
      {endpoints.length > 1 && (
        <Text size="xs" c="dimmed">
          {result.order}
        </Text>
      )}
      <ol className={lists.list} aria-label={`Providers of ${model}, in order`}>
        {endpoints.map((endpoint) => (
          <li key={endpoint}>
            <Text size="sm">{endpoint.replace(`:${model}`, "")}</Text>
            <Text size="xs">{details.get(endpoint)}</Text>
            <ParameterList
              parameters={parameters}
              changes={changes.find((one) => one.endpoint === endpoint)}
            />
          </li>
        ))}
      </ol>
      {excluded.length > 0 && (
        <>
          <Text size="xs" fw={600} mt="sm">
            Excluded
          </Text>
          <ExcludedList
            label={`Excluded for ${model}`}
            excluded={excluded}
            nameOf={(endpoint) => endpoint.replace(`:${model}`, "")}
            detailOf={(endpoint) => details.get(endpoint)}
            draftName={draftName}
          />
        </>
      )}
    </details>
  );
}
