import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { Member } from "#contract/member.ts";
import type { Role } from "#contract/permission.ts";
import { RoutingRule } from "#contract/routing-rule.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import type { Answers } from "#test/console/server.ts";
import { RuleEditor } from "./rule-editor.tsx";

const ada = "018f0000-0000-7000-8000-0000000000ad";
const rule: RoutingRule = {
  ...sampleOf(RoutingRule, { gaps: "always" }),
  name: "EU only",
  scope: "org",
  enabled: true,
  auto_apply: true,
  provider: { data_residency: "eu" },
};
const entry = (position: number, before: unknown, after: unknown) => ({
  position,
  occurred_at: "2026-11-03T09:00:00.000Z",
  actor_type: "person",
  actor_id: ada,
  action: before === null ? "routing_rule.create" : "routing_rule.update",
  subject_type: "routing_rule",
  subject_id: rule.id,
  request_id: null,
  ip_address: null,
  before,
  after,
  hash: "h",
  previous_hash: "",
});
const first = { ...rule, name: "Europe", provider: { zdr: true } };
const refusal = { field: "data_residency", wanted: ["eu"], actual: ["US"] };
const dryRun = {
  effective_preferences: {},
  rule_applied: null,
  summary: { total_models: 1, models_with_providers: 1 },
  results: [
    {
      model: "acme/large",
      provider_count: 2,
      providers: ["acme", "bravo"],
      endpoints: ["acme:acme/large", "bravo:acme/large"],
      excluded: [
        {
          ...refusal,
          set_by: { scope: "org" as const, rule_name: "EU only" },
          provider: "delta",
          endpoint: "delta:acme/large",
          excluded_by: "data_region",
          refusals: [{ ...refusal, set_by: { scope: "org" as const, rule_name: "EU only" } }],
        },
      ],
      parameter_changes: [],
      order: null,
      facts: [],
      reason: null,
    },
  ],
};

function edit(stored: RoutingRule | null, role: Role = "owner", suggestion: string | null = null) {
  const answers: Answers = {
    catalogue: { models: () => ({ data: [] }), providers: () => ({ data: [] }) },
    keys: { names: () => ({ data: [] }) },
    members: {
      list: () => ({
        data: [{ ...sampleOf(Member), user_id: ada, name: "Ada" }],
        total_count: 1,
      }),
    },
    audit: {
      list: () => ({ data: [entry(7, first, rule), entry(3, null, first)], total_count: 2 }),
    },
    routingRules: {
      euResidency: () => ({
        data: { as_of: "2026-01-01", eu_countries: [], eea_countries: [], eu_adequate_countries: [] },
      }),
      dryRunDraft: () => ({ data: dryRun }),
    },
  };
  const editor = <RuleEditor rule={stored} newScope="org" suggestion={suggestion} onClose={async () => {}} />;
  return renderConsole(editor, { role, answers });
}

describe("the history of a rule", () => {
  test("says who changed what, newest first", async () => {
    const { user, server } = edit(rule);
    await user.click(await screen.findByRole("tab", { name: "History" }));
    const states = within(await screen.findByRole("list", { name: "History of the rule" }));
    await states.findByText(/^Changed by Ada/);
    expect(server.inputsOf("audit.list")).toMatchObject([
      { subject_type: "routing_rule", subject_id: rule.id },
    ]);
    expect(states.getByText("Current")).toBeDefined();
    expect(states.getByText("name: Europe → EU only")).toBeDefined();
    expect(states.getByText("data_residency: not set → eu")).toBeDefined();
    expect(states.getByText("zdr: true → not set")).toBeDefined();
    expect(states.getByText(/^Created by Ada/)).toBeDefined();
  });

  test("fills an earlier state into the form, and saves nothing", async () => {
    const { user, server } = edit(rule);
    await user.click(await screen.findByRole("tab", { name: "History" }));
    await user.click(await screen.findByRole("button", { name: "Fill in the state 3" }));
    expect(screen.getByLabelText<HTMLInputElement>(/^Name/).value).toBe("Europe");
    expect(screen.getByRole<HTMLInputElement>("switch", { name: /Zero data retention/ }).checked).toBe(true);
    expect(server.inputsOf("routingRules.update")).toEqual([]);
  });

  test("is for who may read the audit log, and a new rule has none", async () => {
    const shown = edit(rule, "member");
    await screen.findByRole("tab", { name: "Past traffic" });
    expect(screen.queryByRole("tab", { name: "History" })).toBeNull();
    shown.unmount();
    edit(null);
    await screen.findByRole("tab", { name: "Past traffic" });
    expect(screen.queryByRole("tab", { name: "History" })).toBeNull();
  });
});

describe("a requirement", () => {
  test("says what it excludes, and the dry run what remains", async () => {
    edit(rule);
    const text = await screen.findByText("Excludes 1 of 3 endpoints; 1 of them meets everything else");
    expect(text.closest(".mantine-InputWrapper-root")?.textContent).toContain("Inference runs in");
    expect(screen.getByText("2 of 3 endpoints remain")).toBeDefined();
  });
});

describe("a new rule", () => {
  test("is filled in from a starting point, which does not replace a name that was written", async () => {
    const { user } = edit(null);
    await screen.findByRole("button", { name: "Create" });
    const name = screen.getByLabelText<HTMLInputElement>(/^Name/);
    await user.click(screen.getByRole("button", { name: "EU-owned, no retention" }));
    expect(name.value).toBe("EU-owned, no retention");
    expect(screen.getByRole<HTMLInputElement>("switch", { name: /EU-owned providers only/ }).checked).toBe(
      true,
    );
    await user.click(screen.getByRole("button", { name: "Cheapest first" }));
    await waitFor(() => expect(name.value).toBe("Cheapest first"));
    expect(screen.getByRole<HTMLInputElement>("switch", { name: /EU-owned providers only/ }).checked).toBe(
      false,
    );
    await fill(user, name, "Ours");
    await user.click(screen.getByRole("button", { name: "EU only" }));
    expect(name.value).toBe("Ours");
  });

  test("is the only one with starting points", async () => {
    edit(rule);
    await screen.findByLabelText(/^Name/);
    expect(screen.queryByRole("group", { name: "Start from" })).toBeNull();
  });
});

describe("a change that a link suggests", () => {
  test("is filled in and tried, and not saved", async () => {
    const { server } = edit(rule, "owner", '{"data_residency":null,"zdr":true}');
    await screen.findByRole("button", { name: "Save" });
    expect(screen.getByText("A change is filled in")).toBeDefined();
    expect(screen.getByRole<HTMLInputElement>("switch", { name: /Zero data retention/ }).checked).toBe(true);
    await waitFor(() =>
      expect(server.inputsOf("routingRules.dryRunDraft").at(-1)).toMatchObject({
        rule: { provider: { zdr: true } },
      }),
    );
    expect(server.inputsOf("routingRules.update")).toEqual([]);
  });

  test("that is no preference leaves the rule as it is", async () => {
    edit(rule, "owner", '{"context_length":1}');
    await screen.findByRole("button", { name: "Save" });
    expect(screen.queryByText("A change is filled in")).toBeNull();
  });
});
