import { Anchor, Text } from "@mantine/core";
import Link from "next/link";
import type { Exclusion } from "#contract/exclusion.ts";
import { admitText, type SeenRefusal, setByText, whyText } from "#contract/exclusion-words.ts";
import classes from "./compact-list.module.css";

/** As it comes over the wire. */
type Excluded = Pick<Exclusion, "endpoint"> & { readonly refusals: readonly SeenRefusal[] };

interface ExcludedListProps {
  readonly label: string;
  readonly excluded: readonly Excluded[];
  /** What an endpoint is called here. */
  readonly nameOf?: (endpoint: string) => string;
  /** What is known of an endpoint, in words. */
  readonly detailOf?: (endpoint: string) => string | undefined;
  /** Names the rule that is being written. */
  readonly draftName?: string;
}

/** Opens the editor of a rule with the change that would allow an endpoint, whose dry run shows the effect. */
const suggestionPath = (ruleId: string, { field, would_admit }: SeenRefusal): string =>
  `/routing-rules?${new URLSearchParams({ edit: ruleId, suggest: JSON.stringify({ [field]: would_admit }) })}`;

/** Excluded endpoints with every reason, who set the requirement, and what would allow them. */
export function ExcludedList({
  label,
  excluded,
  nameOf = (endpoint) => endpoint,
  detailOf,
  draftName = "",
}: ExcludedListProps) {
  return (
    <ul className={classes.list} aria-label={label}>
      {excluded.map(({ endpoint, refusals }) => (
        <li key={endpoint}>
          <Text size="sm">{nameOf(endpoint)}</Text>
          {detailOf?.(endpoint) && <Text size="xs">{detailOf(endpoint)}</Text>}
          {refusals.map((refusal) => {
            const admits = admitText(refusal);
            const origins = [refusal.set_by, ...(refusal.also_set_by ?? [])];
            return (
              <Text key={`${refusal.field} ${refusal.set_by.rule_id}`} size="xs" c="dimmed">
                {whyText(refusal)}; set by {origins.map((one) => setByText(one, draftName)).join(", ")}
                {admits && `. To allow it: ${admits}`}
                {admits &&
                  origins.map(
                    ({ rule_id: id, rule_name: name }) =>
                      id !== undefined &&
                      name !== undefined &&
                      name !== draftName && (
                        <Anchor key={id} size="xs" component={Link} href={suggestionPath(id, refusal)} ml={6}>
                          Try this in “{name}”
                        </Anchor>
                      ),
                  )}
              </Text>
            );
          })}
        </li>
      ))}
    </ul>
  );
}
