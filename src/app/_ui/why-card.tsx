import { List, Stack, Text } from "@mantine/core";
import { priceText } from "#app/_lib/endpoint-text.ts";
import { ColumnHeads } from "#app/_ui/column-heads.tsx";
import { RuleItem } from "#app/_ui/rule-item.tsx";
import { Status, type Tone } from "#app/_ui/status.tsx";
import { Table } from "#app/_ui/table.tsx";
import type { Candidate, Explanation } from "#contract/explanation.ts";

const roles: Readonly<Record<Candidate["role"], { readonly label: string; readonly tone: Tone } | null>> = {
  served: { label: "served it", tone: "good" },
  partly_served: { label: "broke off", tone: "bad" },
  tried: { label: "failed", tone: "bad" },
  not_tried: null,
  excluded: null,
};

function Verdict({ candidate }: { candidate: Candidate }) {
  const { rank, role, reason, set_by: setBy } = candidate;
  const badge = roles[role];
  if (rank === null)
    return (
      <>
        <Text size="sm">{reason}</Text>
        <Text size="xs" c="dimmed">
          set by {setBy}
        </Text>
      </>
    );
  return badge ? (
    <Status tone={badge.tone}>{badge.label}</Status>
  ) : (
    <Text size="sm" c="dimmed">
      not needed
    </Text>
  );
}

const columns = (hasFacts: boolean) => [
  { header: "Endpoint" },
  ...(hasFacts
    ? ([
        { header: "Country", visibleFrom: "sm" },
        { header: "Per million tokens", visibleFrom: "sm" },
        { header: "Prompts stored", visibleFrom: "sm" },
      ] as const)
    : []),
  { header: "Result" },
];

interface CandidatesProps {
  readonly model: Explanation["models"][number];
  readonly hasFacts: boolean;
}

/** The endpoints of a model: first those that were admitted, then the excluded ones with the reason. */
function Candidates({ model: { model, order, candidates }, hasFacts }: CandidatesProps) {
  return (
    <section aria-label={model}>
      <Text fw={600}>{model}</Text>
      <Text size="sm" c="dimmed" mb="xs">
        {candidates.some(({ rank }) => rank !== null) ? order : "No eligible provider."}
      </Text>
      <Table aria-label={`Endpoints of ${model}`} verticalSpacing={6}>
        <ColumnHeads columns={columns(hasFacts)} />
        <Table.Tbody>
          {candidates.map((candidate) => (
            <Table.Tr key={candidate.endpoint}>
              <Table.Th
                scope="row"
                fw={candidate.rank === null ? 400 : 500}
                style={{ overflowWrap: "anywhere" }}
              >
                {candidate.rank !== null && `${candidate.rank}. `}
                {candidate.endpoint.replace(`:${model}`, "")}
                {hasFacts && (
                  <Text size="xs" c="dimmed" hiddenFrom="sm">
                    {candidate.place}
                  </Text>
                )}
              </Table.Th>
              {hasFacts && (
                <>
                  <Table.Td visibleFrom="sm">{candidate.place}</Table.Td>
                  <Table.Td visibleFrom="sm" style={{ whiteSpace: "nowrap" }}>
                    {priceText(candidate)}
                  </Table.Td>
                  <Table.Td visibleFrom="sm">{candidate.retention}</Table.Td>
                </>
              )}
              <Table.Td>
                <Verdict candidate={candidate} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

/** Why a request went where it went. All words come from the server. */
export function WhyCard({ explanation }: { explanation: Explanation }) {
  const { summary, rules, rule_count: ruleCount, requirements, models, parameters, cost } = explanation;
  // One rule that decides alone has said it already.
  const isSaid = rules.some((rule) => rule.requirements.join() === requirements.join());
  return (
    <Stack gap="lg">
      <Text fw={600}>{summary}</Text>
      {models.length > 0 && (
        <section aria-label="Rules">
          <Text fw={600} size="sm">
            {rules.length > 0 ? "Rules that applied" : "No rule applied"}
          </Text>
          <List size="sm">
            {rules.map((rule) => (
              <RuleItem key={rule.id} rule={rule} />
            ))}
          </List>
          {ruleCount > rules.length && rules.length > 0 && (
            <Text size="xs" c="dimmed">
              and {ruleCount - rules.length} wider ones
            </Text>
          )}
          {requirements.length > 0 && !isSaid && (
            <Text size="sm" mt="xs">
              In effect, with the request's own preferences: {requirements.join(", ")}
            </Text>
          )}
        </section>
      )}
      {models.map((model) => (
        <Candidates key={model.model} model={model} hasFacts={explanation.has_facts} />
      ))}
      {parameters.length > 0 && (
        <section aria-label="Parameters">
          <Text fw={600} size="sm">
            Parameters
          </Text>
          <List size="sm">
            {parameters.map((text) => (
              <List.Item key={text}>{text}</List.Item>
            ))}
          </List>
        </section>
      )}
      <Text size="sm">Cost: {cost}</Text>
      {!explanation.has_facts && models.length > 0 && (
        <Text size="xs" c="dimmed">
          Countries, prices and full reasons of that time are not recorded for this request.
        </Text>
      )}
    </Stack>
  );
}
