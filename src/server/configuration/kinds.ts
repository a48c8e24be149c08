import type { Kind } from "./kind.ts";
import { alertChannels } from "./kinds/alert-channels.ts";
import { alerts } from "./kinds/alerts.ts";
import { budgets } from "./kinds/budgets.ts";
import { credentials } from "./kinds/credentials.ts";
import { destinations } from "./kinds/destinations.ts";
import { endpoints, models, providers } from "./kinds/entries.ts";
import { keys } from "./kinds/keys.ts";
import { presets } from "./kinds/presets.ts";
import { prices } from "./kinds/prices.ts";
import { rules } from "./kinds/rules.ts";
import { tags } from "./kinds/tags.ts";
import { workspaces } from "./kinds/workspaces.ts";

/** Every kind of resource that a file can describe. A resource refers only to those of earlier rows. */
export const kinds: readonly Kind[] = [
  workspaces,
  keys,
  providers,
  models,
  endpoints,
  prices,
  credentials,
  rules,
  destinations,
  budgets,
  presets,
  alertChannels,
  alerts,
  tags,
];

const byName = new Map<string, Kind>(kinds.map((kind) => [kind.kind, kind]));

export function kindNamed(name: string): Kind {
  const kind = byName.get(name);
  if (!kind) throw new RangeError(`There is no kind ${name}`);
  return kind;
}
