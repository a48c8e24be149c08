import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { Role } from "#contract/permission.ts";
import { ProviderPreferences } from "#contract/preferences.ts";
import { RoutingRule, RoutingRuleCreate, RuleScope } from "#contract/routing-rule.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { type Answers, Refusal } from "#test/console/server.ts";
import { RuleEditor } from "./rule-editor.tsx";

const rule: RoutingRule = {
  ...sampleOf(RoutingRule, { gaps: "always" }),
  name: "EU only",
  scope: "org",
  enabled: true,
  auto_apply: true,
  provider: { data_residency: "eu", zdr: true },
};
const empty = {
  effective_preferences: {},
  results: [],
  rule_applied: null,
  summary: { total_models: 0, models_with_providers: 0 },
};

type RuleAnswers = NonNullable<Answers["routingRules"]>;
function edit(stored: RoutingRule | null, answers: RuleAnswers = {}, role: Role = "owner") {
  const onClose = vi.fn(() => Promise.resolve());
  const made = renderConsole(<RuleEditor rule={stored} newScope="org" onClose={onClose} />, {
    role,
    answers: {
      catalogue: { models: () => ({ data: [] }), providers: () => ({ data: [] }) },
      routingRules: {
        euResidency: () => ({
          data: { as_of: "2026-01-01", eu_countries: [], eea_countries: [], eu_adequate_countries: [] },
        }),
        dryRunDraft: () => ({ data: empty }),
        ...answers,
      },
    },
  });
  return { ...made, onClose };
}
const openJson = async (user: ReturnType<typeof edit>["user"]) => {
  await user.click(screen.getByRole("radio", { name: "JSON" }));
  return await screen.findByLabelText<HTMLTextAreaElement>(/JSON/, { selector: "textarea" });
};

describe("saving", () => {
  test("a rule that nobody changed sends what is stored", async () => {
    const { user, server, onClose } = edit(rule, { update: () => ({ data: rule }) });
    await user.click(await screen.findByRole("button", { name: "Save" }));
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
    expect(server.inputsOf("routingRules.update")).toEqual([
      {
        id: rule.id,
        name: "EU only",
        description: null,
        model: null,
        models: null,
        enabled: true,
        auto_apply: true,
        provider: { data_residency: "eu", zdr: true },
      },
    ]);
  });

  test("a new rule sends what was entered, once", async () => {
    const { user, server, onClose } = edit(null, { create: () => ({ data: rule }) });
    const create = await screen.findByRole("button", { name: "Create" });
    await fill(user, screen.getByLabelText(/^Name/), "No training");
    await user.click(screen.getByRole("switch", { name: "No training on prompts" }));
    await user.selectOptions(screen.getByLabelText(/^Applies to/), "org");
    await user.dblClick(create);
    await waitFor(() => expect(onClose).toHaveBeenCalled());
    expect(server.inputsOf("routingRules.create")).toEqual([
      {
        name: "No training",
        description: null,
        model: null,
        models: null,
        provider: { data_collection: "deny" },
        enabled: true,
        auto_apply: true,
        scope: "org",
        workspace_id: null,
        api_key_id: null,
      },
    ]);
  });

  test("that was refused shows the reason, and leaves the editor open", async () => {
    const { user, onClose } = edit(rule, {
      update: () => {
        throw new Refusal("CONFLICT", "There is another one");
      },
    });
    await user.click(await screen.findByRole("button", { name: "Save" }));
    expect((await screen.findByRole("alert")).textContent).toContain("There is another one");
    expect(onClose).not.toHaveBeenCalled();
  });
});

describe("the form and the JSON of a rule", () => {
  test("are the same: the form is written as JSON, and a change of the JSON is saved", async () => {
    const { user, server } = edit(rule, { update: () => ({ data: rule }) });
    const area = await openJson(user);
    const shown = RoutingRuleCreate.parse(JSON.parse(area.value));
    expect(shown).toMatchObject({ name: "EU only", provider: { data_residency: "eu", zdr: true } });
    fireEvent.change(area, {
      target: { value: JSON.stringify({ ...shown, provider: { max_retention_days: 3 } }) },
    });
    await user.click(screen.getByRole("radio", { name: "Form" }));
    expect((await screen.findByLabelText<HTMLInputElement>(/Maximum retention/)).value).toBe("3");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(server.inputsOf("routingRules.update")).toHaveLength(1));
    expect(server.inputsOf("routingRules.update")[0]).toMatchObject({ provider: { max_retention_days: 3 } });
  });

  test("invalid JSON is not saved, and not lost by going back to the form", async () => {
    const { user, server } = edit(rule, { update: () => ({ data: rule }) });
    fireEvent.change(await openJson(user), { target: { value: '{ "name": "", ' } });
    expect((await screen.findByRole("alert")).textContent).not.toBe("");
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Save" }).disabled).toBe(true);
    expect(screen.getByRole<HTMLInputElement>("radio", { name: "Form" }).disabled).toBe(true);
    expect(server.inputsOf("routingRules.update")).toEqual([]);
  });
});

describe("every preference of the contract", () => {
  const examples: Required<ProviderPreferences> = {
    data_residency: "eu",
    eu_owned: true,
    zdr: true,
    max_retention_days: 7,
    data_collection: "deny",
    only: ["alpha"],
    ignore: ["beta"],
    quantizations: ["fp8"],
    max_price: { prompt: 1 },
    order: ["gamma"],
    sort: "price",
    allow_fallbacks: false,
    require_parameters: true,
    preferred_min_throughput: 20,
    preferred_max_latency: { p90: 2 },
  };

  test.each(Object.keys(ProviderPreferences.shape))(
    "%s is unchanged by the form when another field changes",
    async (field) => {
      const value = examples[field as keyof ProviderPreferences];
      const { user, server } = edit(
        { ...rule, provider: { [field]: value } },
        { update: () => ({ data: rule }) },
      );
      const save = await screen.findByRole("button", { name: "Save" });
      await user.click(screen.getByRole("switch", { name: "Enabled" }));
      await user.click(save);
      await waitFor(() => expect(server.inputsOf("routingRules.update")).toHaveLength(1));
      expect(server.inputsOf("routingRules.update")[0]).toMatchObject({
        provider: { [field]: value },
        enabled: false,
      });
    },
  );
});

describe.each(Role.options)("a person who is %s", (role) => {
  test.each(RuleScope.options)(
    "may change a rule of the scope %s only as the server allows",
    async (scope) => {
      const decides = role === "owner" || role === "admin";
      const may =
        permissionsOf(role).has("routing:write") && (decides || scope === "user" || scope === "api_key");
      edit({ ...rule, scope, workspace_id: rule.id, api_key_id: rule.id }, {}, role);
      await waitFor(() => expect(screen.queryByRole("button", { name: "Save" }) !== null).toBe(may));
      expect(screen.queryByRole("button", { name: "Delete" }) !== null).toBe(may);
    },
  );
});

test("deleting asks for the name first", async () => {
  const { user, server } = edit(rule, { remove: () => ({ data: { success: true } }) });
  await user.click(await screen.findByRole("button", { name: "Delete" }));
  expect(server.inputsOf("routingRules.remove")).toEqual([]);
  const dialog = await screen.findByRole("dialog", { name: "Delete EU only" });
  await user.type(within(dialog).getByLabelText(/to confirm/), "EU only{Enter}");
  await waitFor(() => expect(server.inputsOf("routingRules.remove")).toEqual([{ id: rule.id }]));
});
