import type { Kind } from "./kind.ts";
import { alertChannels } from "./kinds/alert-channels.ts";
import { alerts } from "./kinds/alerts.ts";
import { budgets } from "./kinds/budgets.ts";
import { destinations } from "./kinds/destinations.ts";
import { keys } from "./kinds/keys.ts";
import { presets } from "./kinds/presets.ts";
import { rules } from "./kinds/rules.ts";
import { workspaces } from "./kinds/workspaces.ts";

/** Every kind of resource that a file can describe. A resource refers only to those of earlier rows. */
export const kinds: readonly Kind[] = [
  workspaces,
  keys,
  rules,
  destinations,
  budgets,
  presets,
  alertChannels,
  alerts,
];

const byName = new Map<string, Kind>(kinds.map((kind) => [kind.kind, kind]));

export function kindNamed(name: string): Kind {
  const kind = byName.get(name);
  if (!kind) throw new RangeError(`There is no kind ${name}`);
  return kind;
}
