import { expect } from "vitest";
import { data } from "#contract/common.ts";
import { ConfigurationPlan } from "#contract/configuration.ts";
import type { GenerationRow } from "#server/billing/index.ts";
import { isoTime } from "#server/platform/clock.ts";
import { generationRow, insertGenerations } from "#test/factories.ts";
import { newOrganisation } from "./people.ts";
import type { TestServer } from "./server.ts";

export const settings = {
  ALLOW_PRIVATE_DESTINATIONS: "127.0.0.1",
  ALLOW_PRIVATE_OWN_PROVIDERS: "127.0.0.1",
  ALLOW_PRIVATE_HOSTS: "127.0.0.1",
};

interface Request {
  readonly file: string;
  readonly [field: string]: unknown;
}

/** Requests about the configuration, with a key. */
export const configurationClient = (server: TestServer, key: string) => {
  const call = async (path: string, body: Request) => {
    const response = await server.post(path, body, { key });
    const answer = (await response.json()) as { data: never; error: { message: string; param: string } };
    return { status: response.status, ...answer };
  };
  return {
    call,
    export: async (query = "") => {
      const response = await server.send("GET", `/config/export${query}`, { key });
      const { data } = (await response.json()) as { data: { file: string } };
      return data.file;
    },
    plan: async (file: string, more: object = {}) => {
      const answer = await call("/config/plan", { file, ...more });
      expect([answer.status, answer.error]).toEqual([200, undefined]);
      return data(ConfigurationPlan).parse(answer).data;
    },
    apply: async (file: string, more: object = {}) => {
      const answer = await call("/config/apply", { file, digest: null, ...more });
      expect([answer.status, answer.error]).toEqual([200, undefined]);
      return answer.data as { digest: string; changes: object[]; keys: { name: string; key: string }[] };
    },
  };
};

/** What a request has that an endpoint served. */
export function servedBy(endpoint: string): Partial<GenerationRow> {
  const [provider = "", model = ""] = endpoint.split(":");
  return { endpoint, provider, model, model_requested: model };
}

interface Recorded {
  readonly count: number;
  /** When the first one started. Each of the others started a second after the one before it. */
  readonly fromMs: number;
  readonly more: (at: number) => Partial<GenerationRow>;
}

/** Records requests that cost EUR 0.25 each. */
export async function recordRequests(
  { services }: TestServer,
  owner: Parameters<typeof generationRow>[0],
  { count, fromMs, more }: Recorded,
) {
  const rows = Array.from({ length: count }, (_, at) =>
    generationRow(owner, "0.25", { started_at: isoTime(fromMs + at * 1000), ...more(at) }),
  );
  await insertGenerations(services.database, rows);
}

export const secrets = {
  "env:COLLECTOR": "Bearer collector-secret",
  "env:HOOK": "hook-secret",
  "env:PROVIDER": "provider-secret",
  "env:DUTY": "http://127.0.0.1:9/duty-secret",
  "env:SIGNING": `whsec_${Buffer.alloc(24, 1).toString("base64")}`,
};

/** A configuration with every kind of resource, and every field of each. */
export const complete = `version: 1
workspaces:
  - { name: Research, limit: 100, limit_reset: monthly, slug: research, description: "All about ships: \\"#1\\"" }
  - { name: "yes" }
keys:
  - name: Search service
    workspace: Research
    permissions: [ inference:use, activity:read ]
    allowed_models: [ sandbox/chat ]
    limit: 12.5
    limit_reset: weekly
    include_byok_in_limit: true
    requests_per_minute: 60
    expires_at: 2030-01-31T02:00:00+02:00
  - { name: "0123", disabled: true, allowed_models: [] }
providers:
  - name: our-gpu
    source: Contract
    as_of: "2026-11-01"
    entry:
      name: Our GPU server
      base_url: http://127.0.0.1:9/v1
      auth: bearer
      free: true
      datacenters: [ DE ]
      retention_days: 0
      headquarters: null
  - { name: sandbox-fr, entry: { retention_days: { value: 7, source: Contract, as_of: "2026-11-02" } }, enabled: false }
models:
  - { name: our/qwen3-8b, entry: { context_length: 32768, aliases: [ our-chat ] } }
endpoints:
  - { name: our-gpu:our/qwen3-8b, entry: { upstream_model: Qwen/Qwen3-8B, max_output_tokens: null } }
  - { name: our-gpu/fast:our/qwen3-8b, entry: { price: { currency: EUR, input: "0.1", output: "0.2" } } }
credentials:
  - name: Our account
    provider: our-gpu
    secret: env:PROVIDER
    is_fallback: true
    sort_order: 3
    allowed_models: [ our/qwen3-8b ]
    keys: [ Search service ]
  - { name: Second account, provider: our-gpu, secret: env:PROVIDER, disabled: true, keys: [] }
rules:
  - name: EU only
    description: For everybody
    provider: { data_residency: eu, max_price: { prompt: 3 }, order: [ sandbox-fr, sandbox-de ], zdr: null }
  - { name: EU only, scope: workspace, workspace: Research, model: SANDBOX/chat, auto_apply: false }
  - { name: EU only, scope: api_key, key: Search service, models: [ sandbox/chat ], enabled: false }
destinations:
  - name: Collector
    type: otel-collector
    workspace: Research
    config: { endpoint: "http://127.0.0.1:9/", headers: { Authorization: "env:COLLECTOR" } }
    sampling_rate: 0.25
    keys: [ Search service, "0123" ]
    residency: eu
    privacy_mode: true
    filter_rules: { groups: [ { rules: [ { field: model, operator: equals, value: x } ] } ] }
  - { name: Hook, type: webhook, config: { url: "http://127.0.0.1:9/hook", apiKey: "env:HOOK" }, enabled: false }
budgets:
  - { name: A day, measure: eur, limit: 20.5, period: day, dimensions: [ { dimension: end_user, value: null } ] }
  - name: Researchers
    measure: tokens
    limit: 1000
    period: minute
    dimensions:
      - { dimension: metadata.team, value: research }
      - { dimension: model, value: sandbox/chat }
      - { dimension: key, value: Search service }
      - { dimension: workspace, value: Research }
presets:
  - name: support
    workspace: Research
    description: For letters
    system_prompt: |
      Answer kindly.
      Sign as "Harbour".
    config: { models: [ SANDBOX/chat, our-chat ], temperature: 0.2, max_tokens: 200, provider: { zdr: true } }
alert_channels:
  - { name: Duty, type: slack, address: "env:DUTY" }
  - { name: Operations, type: webhook, address: "http://127.0.0.1:9/alerts", signing_secret: "env:SIGNING" }
alerts:
  - { name: Errors, kind: error_rate, settings: { above_percent: 5 }, channels: [ Operations, Duty ] }
  - { name: Half, kind: budget, settings: { budget: Researchers, thresholds: [ 50 ] }, enabled: false }
tags:
  - name: end_user
  - name: metadata.team
`;

/** An organisation whose only resource is the key that is used. */
export async function newEmptyOrganisation(server: TestServer) {
  const made = await newOrganisation(server);
  await server.services.database.prisma.workspace.deleteMany({ where: { org_id: made.orgId } });
  await server.services.refreshSnapshot();
  return made;
}

/** How many rows an organisation has of what a file describes. */
export const rowsOf = async ({ services }: TestServer, orgId: string) => {
  const { prisma } = services.database;
  const where = { org_id: orgId };
  return {
    workspaces: await prisma.workspace.count({ where }),
    keys: await prisma.api_key.count({ where }),
    rules: await prisma.routing_rule.count({ where }),
    destinations: await prisma.destination.count({ where }),
    budgets: await prisma.budget.count({ where }),
    presets: await prisma.preset.count({ where }),
    channels: await prisma.alert_channel.count({ where }),
    alerts: await prisma.alert_rule.count({ where }),
    entries: await prisma.catalogue_entry.count({ where }),
    credentials: await prisma.provider_credential.count({ where }),
    audit: await prisma.audit_entry.count({ where }),
  };
};
