import type { Consequence } from "#contract/configuration.ts";
import type { Values } from "#contract/configuration-form.ts";
import { workspaceField } from "../kind.ts";
import type { Change } from "../plan.ts";
import { consequence, counted, days, type Evaluate, type Evaluation, transitionOf } from "./consequence.ts";

const isOn = ({ name, enabled }: Values): boolean => name !== undefined && enabled !== false;
const shareOf = ({ sampling_rate }: Values): number => Number(sampling_rate ?? 1);

/** How many recorded requests a destination would get the traces of, before sampling and conditions. */
async function matching({ session, traffic }: Evaluation, values: Values): Promise<number> {
  if (!isOn(values)) return 0;
  const workspace = workspaceField(values);
  const workspaceId = workspace === null ? null : session.names.find("workspaces", workspace);
  // A workspace that does not exist yet has no requests.
  if (workspaceId === undefined) return 0;
  const names = Array.isArray(values.keys) ? values.keys.map(String) : [];
  const keyIds = names.flatMap((name) => session.names.find("keys", name) ?? []);
  return (await traffic.sums({ workspaceId, ...(names.length > 0 && { keyIds }) })).requests;
}

const about = (count: number, share: number): string => `about ${counted(Math.round(count * share))}`;

function changes(change: Change, before: number, after: number): Consequence[] {
  const { before: old, after: wanted, has } = transitionOf(change);
  const both = Math.min(before, after);
  const add = (code: string, requests: number, message: string) =>
    consequence(change, code, requests, message);
  const content = wanted.privacy_mode === true ? "left out" : "sent";
  return [
    ...(has("sampling_rate")
      ? add(
          "destination_sampling",
          both,
          `Traces of ${about(both, shareOf(wanted))} ${days} would have been sent, not of ${about(both, shareOf(old))}`,
        )
      : []),
    ...(has("keys")
      ? add(
          "destination_keys",
          Math.max(before, after),
          `Traces of ${about(after, shareOf(wanted))} ${days} would have been sent, not of ${about(before, shareOf(old))}`,
        )
      : []),
    ...(has("privacy_mode")
      ? add(
          "destination_content",
          both,
          `Prompts and answers of ${counted(both)} ${days} would have been ${content}`,
        )
      : []),
    ...(has("config")
      ? add(
          "destination_address",
          both,
          `Traces of ${counted(both)} ${days} would have been sent with other settings`,
        )
      : []),
    ...(has("filter_rules") || has("residency")
      ? add(
          "destination_conditions",
          both,
          `Other conditions would have applied to the traces of ${counted(both)} ${days}`,
        )
      : []),
  ];
}

export const destinationConsequences: Evaluate = async (evaluation, change) => {
  const { before: old, after: wanted } = transitionOf(change);
  const [before, after] = [await matching(evaluation, old), await matching(evaluation, wanted)];
  if (!isOn(wanted)) {
    const message = `Traces of ${about(before, shareOf(old))} ${days} would not have been sent`;
    return consequence(change, "destination_stops", before, message);
  }
  if (!isOn(old)) {
    const content = wanted.privacy_mode === true ? "without" : "with";
    const message = `Traces of ${about(after, shareOf(wanted))} ${days} would have been sent, ${content} prompts and answers`;
    return consequence(change, "destination_starts", after, message);
  }
  return changes(change, before, after);
};
