import { describe, expect, test } from "vitest";
import { configurationClient, settings } from "./configuring.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer({ settings });

describe("refusals name the place and the line", () => {
  const cases: [string, string][] = [
    [
      "version: 1\nalerts:\n  - { name: A, kind: error_rate, settings: { above: 3 } }\n",
      "alerts.0.settings.above, line 3: is not a known field",
    ],
    [
      "version: 1\nalerts:\n  - { name: A, kind: budget, settings: { budget: B } }\n",
      'alerts.0, line 3: "B" is neither in the file nor among the existing budgets',
    ],
    [
      "version: 1\nalerts:\n  - { name: A, kind: low_credit, channels: [ C ] }\n",
      'alerts.0, line 3: "C" is neither in the file nor among the existing alert_channels',
    ],
    ["version: 1\npresets:\n  - { name: A b }\n", "presets.0.name, line 3: "],
    [
      "version: 1\npresets:\n  - { name: a, config: { models: [ nothing ] } }\n",
      "presets.0.config.models, line 3: `nothing` is not in the catalogue",
    ],

    [
      "version: 1\nworkspaces:\n  - name: A\n    limt: 3\n",
      "workspaces.0.limt, line 4: is not a known field; valid are name, slug, description, limit, limit_reset",
    ],
    ["version: 1\nfoo: []\n", "foo, line 2: is not a known field; valid are version, workspaces, keys"],
    ["workspaces: []\n", "version, line 1: must be 1"],
    [
      "version: 1\nrules:\n  - { name: A, scope: user }\n",
      "rules.0.scope, line 3: must be org, workspace or api_key",
    ],
    [
      "version: 1\nrules:\n  - { name: A, workspace: B }\n",
      'rules.0, line 3: "B" is neither in the file nor among the existing workspaces',
    ],
    [
      "version: 1\nrules:\n  - { name: A, model: nothing }\n",
      "rules.0.model, line 3: `nothing` is not in the catalogue",
    ],
    [
      "version: 1\nrules:\n  - { name: A, provider: { data_residncy: eu } }\n",
      "rules.0.provider.data_residncy, line 3: is not a known field",
    ],
    ["version: 1\nrules:\n  - name: A\n  - name: a\n", "rules.1.name, line 4: is repeated in the file"],
    [
      "version: 1\nkeys:\n  - name: A\n    limit_reset: daily\n",
      "keys.0.limit_reset, line 4: requires `limit`",
    ],
    [
      "version: 1\nkeys:\n  - { name: A, secret: ptl_1 }\n",
      "keys.0.secret, line 3: must be env:NAME or file:PATH",
    ],
    [
      "version: 1\nkeys:\n  - { name: A, service_account: robot }\n",
      'keys.0.service_account, line 3: there is no service account "robot"',
    ],
    [
      "version: 1\ndestinations:\n  - { name: A, type: webhook, config: { url: http://127.0.0.1:9, apiKey: abc } }\n",
      "destinations.0.config.apiKey, line 3: must be env:NAME or file:PATH",
    ],
    [
      "version: 1\ndestinations:\n  - { name: A, type: nothing, config: {} }\n",
      "destinations.0.type, line 3: must be one of webhook",
    ],
    [
      "version: 1\nbudgets:\n  - { name: A, measure: eur, limit: 1, period: none }\n",
      "budgets.0.period, line 3: may be none for concurrency only",
    ],
    [
      "version: 1\nbudgets:\n  - { name: A, measure: eur, limit: 1, period: day, dimensions: [ { dimension: person, value: x@example.eu } ] }\n",
      "budgets.0.dimensions.0.value, line 3: there is no person",
    ],
    ["version: 1\nversion: 1\n", "line 2: is not valid YAML: the key version is repeated"],
    ["version: !!js/function x\n", "line 1: is not valid YAML: Unresolved tag"],
    ["a: [\n", "is not valid YAML"],
    [`a: ${"[".repeat(100)}`, "file: is nested too deeply"],
    ["a: [ ] ]\n", "file: is not valid YAML: a bracket is closed that was not opened"],
    ["- a\n".repeat(60_000), "file: has too many entries for one file"],
    ['version: 1\na: "]]]"\n', "a, line 2: is not a known field"],
    [
      "a: &a [ 1, 1 ]\nb: &b [ *a, *a ]\nc: &c [ *b, *b ]\nd: &d [ *c, *c ]\ne: &e [ *d, *d ]\nf: &f [ *e, *e ]\ng: [ *f, *f ]\n",
      "file: has more aliases than are allowed",
    ],
  ];
  test.each(cases)("%j", async (file, message) => {
    const { status, error } = await configurationClient(server, server.key).call("/config/plan", { file });
    expect([status, error.message, error.param]).toEqual([400, expect.stringContaining(message), "file"]);
  });

  test("a file of many keys is refused quickly", async () => {
    const file = Array.from({ length: 20_000 }, (_, at) => `k${at}: 1`).join("\n");
    const startMs = performance.now();
    expect((await configurationClient(server, server.key).call("/config/plan", { file })).status).toBe(400);
    expect(performance.now() - startMs).toBeLessThan(5_000);
  });
});
