import type { Values } from "#contract/configuration-form.ts";
import { configurationForms } from "#contract/configuration-kinds.ts";
import { DestinationCreate, DestinationUpdate } from "#contract/destination.ts";
import {
  comparableConfig,
  createDestination,
  listDestinations,
  removeDestination,
  resolvedConfig,
  updateDestination,
} from "#server/destinations/index.ts";
import { limits } from "#server/platform/limits.ts";
import { nameKey } from "#server/platform/name-key.ts";
import { changedInput, everyPage, type Kind, textOf, workspaceField } from "../kind.ts";
import type { Session } from "../session.ts";
import { isRecord } from "../values.ts";

const form = configurationForms.destinations;
const defaults = { enabled: true, privacy_mode: false, sampling_rate: "1", keys: [] };

const referenced = ({ secrets }: Session, { type, config }: Values, id: string | null) => ({
  type: textOf(type),
  config: isRecord(config) ? config : {},
  id,
  secretOf: (reference: string) => secrets.get(reference),
});

/** A set of names. */
const sorted = (names: unknown): string[] => (Array.isArray(names) ? [...new Set<string>(names)].sort() : []);

/** The settings with their secrets, for creation or change. */
async function configInput(session: Session, values: Values, id: string | null) {
  const reader = session.as("broadcast:read");
  return (await resolvedConfig(session.destinations, reader, referenced(session, values, id))).config;
}

export const destinations: Kind = {
  kind: "destinations",
  form,
  permissions: { read: "broadcast:read", write: "broadcast:write", delete: "broadcast:write" },
  secretFields: ["config"],
  defaults,
  fixed: [],
  isReplaced: false,
  comment: "Broadcast destinations. Secrets in `config` are references.",
  identify(values) {
    const workspace = workspaceField(values);
    const place = `${textOf(values.type)}${workspace === null ? "" : `, workspace ${workspace}`}`;
    return { key: `${nameKey(textOf(values.name))} (${place})`, name: `${textOf(values.name)} (${place})` };
  },
  workspaceOf: workspaceField,
  async read({ destinations: deps, as, names }) {
    const reader = as("broadcast:read");
    const rows = await everyPage((paging) => listDestinations(deps, reader, paging), limits.lists.rowsMax);
    return rows.map((row) => ({
      id: row.id,
      values: {
        name: row.name,
        type: row.type,
        config: row.config,
        privacy_mode: row.privacy_mode,
        sampling_rate: row.sampling_rate,
        enabled: row.enabled,
        filter_rules: row.filter_rules,
        residency: row.residency,
        workspace: row.workspace_id && names.nameOf("workspaces", row.workspace_id),
        keys: sorted(row.api_key_filter?.map((id) => names.nameOf("keys", id))),
      },
    }));
  },
  async comparable(session, values, current) {
    const reader = session.as("broadcast:read");
    const asked = referenced(session, values, current?.id ?? null);
    const config = await comparableConfig(session.destinations, reader, asked);
    return { ...values, config, keys: sorted(values.keys) };
  },
  async create(session, values) {
    const { destinations: deps, as, names } = session;
    const input = form.input(values, (...reference) => names.idOf(...reference));
    const config = await configInput(session, values, null);
    return createDestination(deps, as("broadcast:write"), DestinationCreate.parse({ ...input, config }));
  },
  async update(session, difference) {
    const { id, values, changed } = difference;
    const input = changedInput({ form, defaults }, session, difference);
    const config = changed.has("config") ? { config: await configInput(session, values, id) } : {};
    await updateDestination(
      session.destinations,
      session.as("broadcast:write"),
      DestinationUpdate.parse({ ...input, ...config, id }),
    );
  },
  remove: ({ destinations: deps, as }, id) => removeDestination(deps, as("broadcast:write"), id),
};
