import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { Role } from "#contract/permission.ts";
import { RoutingRule, RuleScope } from "#contract/routing-rule.ts";
import { Workspace } from "#contract/workspace.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { type Answers, never, Refusal, requestId } from "#test/console/server.ts";
import { RulesScreen } from "./rules-screen.tsx";

const workspace = { ...sampleOf(Workspace), id: "018f0000-0000-7000-8000-0000000000e9", name: "Research" };
const rule = (digit: number, name: string, more: Partial<RoutingRule> = {}): RoutingRule => ({
  ...sampleOf(RoutingRule, { gaps: "always" }),
  id: `018f0000-0000-7000-8000-0000000000e${digit}`,
  name,
  scope: "org",
  enabled: true,
  auto_apply: true,
  provider: null,
  problem: null,
  ...more,
});
const euOnly = rule(1, "EU only", { provider: { data_residency: "eu", zdr: true } });
const cheap = rule(2, "Cheap", { scope: "user", enabled: false, provider: { sort: "price" } });

type RuleAnswers = NonNullable<Answers["routingRules"]>;
const listed = (data: readonly RoutingRule[], total_count = data.length) => ({
  data: [...data],
  total_count,
});
const empty = { effective_preferences: {}, results: [], rule_applied: null };
const residency = { as_of: "2026-01-01", eu_countries: [], eea_countries: [], eu_adequate_countries: [] };

interface Shown {
  readonly rules?: RuleAnswers;
  readonly role?: Role;
  readonly search?: string;
}
const show = ({ rules = {}, ...options }: Shown = {}) =>
  renderConsole(<RulesScreen />, {
    pathname: "/routing-rules",
    ...options,
    answers: {
      catalogue: { models: () => ({ data: [] }), providers: () => ({ data: [] }) },
      workspaces: { list: () => ({ data: [workspace], total_count: 1 }) },
      routingRules: {
        list: () => listed([euOnly, cheap]),
        euResidency: () => ({ data: residency }),
        dryRunDraft: () => ({
          data: { ...empty, summary: { total_models: 0, models_with_providers: 0 } },
        }),
        ...rules,
      },
    },
  });
const rowOf = async (name: string) => {
  const opener = await screen.findByRole("button", { name: new RegExp(`^${name}`) });
  return within(opener.closest("tr") ?? opener);
};
const cells = async (name: string) =>
  (await rowOf(name)).getAllByRole("cell").map((cell) => cell.textContent);
const editor = (title: string) => screen.findByRole("dialog", { name: title });
const failing = () => {
  throw new Refusal("SERVICE_UNAVAILABLE", "The database is restarting");
};

describe("the list", () => {
  test("says of each rule whom it applies to, to which models, and what it does", async () => {
    const named = rule(3, "On request", {
      scope: "workspace",
      workspace_id: workspace.id,
      models: ["acme/large", "acme/small", "acme/tiny"],
      auto_apply: false,
      provider: { eu_owned: true },
    });
    show({ rules: { list: () => listed([euOnly, named]) } });
    expect((await cells("EU only")).slice(1, 4)).toEqual([
      "Organisation",
      "All models",
      "runs in the EU; zero data retention",
    ]);
    await screen.findByText("Research");
    expect((await cells("On request")).slice(1, 4)).toEqual([
      "WorkspaceResearch",
      "acme/large, acme/small and 1 more",
      "EU-owned only (only when a request names it)",
    ]);
  });

  test("that could not be loaded names the request and can be tried again", async () => {
    let broken = true;
    const { user } = show({ rules: { list: () => (broken ? failing() : listed([euOnly])) } });
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("The database is restarting");
    expect(alert.textContent).toContain(requestId);
    broken = false;
    await user.click(within(alert).getByRole("button", { name: "Try again" }));
    await rowOf("EU only");
  });

  test("is asked for by the filters and the page of the URL", async () => {
    const { server } = show({ search: "?find=%20eu%20&scope=org&state=off&page=2" });
    await waitFor(() =>
      expect(server.inputsOf("routingRules.list")).toEqual([
        {
          include_disabled: "true",
          limit: "100",
          offset: "200",
          search: "eu",
          scope: "org",
          enabled: "false",
        },
      ]),
    );
  });

  test("ignores a scope in the URL that there is not", async () => {
    const { server } = show({ search: "?scope=galaxy" });
    await rowOf("EU only");
    expect(server.inputsOf("routingRules.list")).toEqual([
      { include_disabled: "true", limit: "100", offset: "0" },
    ]);
  });

  test("is searched once for what was typed, from its first page on", async () => {
    const { user, server, query } = show({
      rules: { list: () => listed([euOnly], 350) },
      search: "?page=2",
    });
    await fill(user, await screen.findByLabelText("Search"), "price");
    await waitFor(() =>
      expect(server.inputsOf("routingRules.list").at(-1)).toMatchObject({ search: "price", offset: "0" }),
    );
    expect(query().get("page")).toBeNull();
  });

  test("is walked through page by page", async () => {
    const { user, server } = show({ rules: { list: () => listed([euOnly], 250) } });
    expect((await screen.findByText(/of 250/)).textContent).toBe("1 to 100 of 250");
    await user.click(screen.getByRole("button", { name: "Next" }));
    await waitFor(() => expect(server.inputsOf("routingRules.list").at(-1)).toMatchObject({ offset: "100" }));
    expect(screen.getByText(/of 250/).textContent).toBe("101 to 200 of 250");
  });

  test("without a match offers to clear the filters, and not to begin", async () => {
    const { user, query } = show({ rules: { list: () => listed([]) }, search: "?find=x" });
    await user.click(await screen.findByRole("button", { name: "Clear filters" }));
    expect(query().get("find")).toBeNull();
    await screen.findByText("No routing rules yet");
  });
});

describe("an organisation without rules", () => {
  test.each(Role.options)("offers a person who is %s what they may create", async (role) => {
    show({ role, rules: { list: () => listed([]) } });
    await screen.findByText("No routing rules yet");
    const mayWrite = permissionsOf(role).has("routing:write");
    const decides = role === "owner" || role === "admin";
    await waitFor(() =>
      expect(screen.queryAllByRole("button", { name: "Create rule" })).toHaveLength(mayWrite ? 2 : 0),
    );
    expect(screen.queryByRole("button", { name: "EU only" }) !== null).toBe(decides);
  });

  test("gets its first rule by one click, which can be undone after the list is shown", async () => {
    let stored: RoutingRule[] = [];
    const { user, server } = show({
      rules: {
        list: () => listed(stored),
        create: () => {
          stored = [euOnly];
          return { data: euOnly };
        },
        remove: () => ({ data: { success: true } }),
      },
    });
    await user.click(await screen.findByRole("button", { name: "EU only" }));
    await screen.findByRole("table", { name: "Routing rules" });
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(server.inputsOf("routingRules.remove")).toEqual([{ id: euOnly.id }]));
  });
});

describe("switching a rule", () => {
  const toggle = async (name: string) =>
    (await rowOf(name)).getByRole<HTMLInputElement>("switch", { name: `${name} is enabled` });

  test("is shown at once, and put back when the server refuses", async () => {
    const { user, server } = show({ rules: { update: failing } });
    await user.click(await toggle("EU only"));
    await screen.findByText("The database is restarting");
    expect(server.inputsOf("routingRules.update")).toEqual([{ id: euOnly.id, enabled: false }]);
    expect((await toggle("EU only")).checked).toBe(true);
  });

  test("can be undone", async () => {
    const { user, server } = show({ rules: { update: () => ({ data: euOnly }) } });
    await user.click(await toggle("Cheap"));
    await screen.findByText("Cheap is enabled.");
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() =>
      expect(server.inputsOf("routingRules.update")).toEqual([
        { id: cheap.id, enabled: true },
        { id: cheap.id, enabled: false },
      ]),
    );
  });

  test("of the organisation is for administrators; others read its status", async () => {
    show({ role: "member" });
    await toggle("Cheap");
    expect((await rowOf("EU only")).queryByRole("switch")).toBeNull();
    expect((await cells("EU only")).at(-1)).toBe("On");
  });
});

describe("the editor", () => {
  test("opens for a row, and the URL leads to it", async () => {
    const { user, query } = show();
    await user.click(await screen.findByRole("button", { name: /^Cheap/ }));
    await editor("Cheap");
    expect(query().get("edit")).toBe(cheap.id);
  });

  test("opens a rule of the URL that is on another page", async () => {
    const { server } = show({
      search: `?edit=${cheap.id}`,
      rules: { list: () => listed([euOnly]), get: () => ({ data: cheap }) },
    });
    await editor("Cheap");
    expect(server.inputsOf("routingRules.get")).toEqual([{ id: cheap.id }]);
  });

  test("asks for no rule that is listed, nor before the list is there", async () => {
    const { server, unmount } = show({ search: `?edit=${euOnly.id}` });
    await editor("EU only");
    expect(server.inputsOf("routingRules.get")).toEqual([]);
    unmount();
    const waiting = show({ search: `?edit=${cheap.id}`, rules: { list: never } });
    await waitFor(() => expect(waiting.server.inputsOf("routingRules.list")).toHaveLength(1));
    expect(waiting.server.inputsOf("routingRules.get")).toEqual([]);
  });

  test("of a new rule does not open for who may not write one", async () => {
    show({ role: "viewer", search: "?edit=new" });
    await rowOf("EU only");
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  const scopesOf = (role: Role) => (role === "member" ? ["user", "api_key"] : RuleScope.options);
  const cases = (["owner", "admin", "member"] as const).flatMap((role) =>
    [null, ...RuleScope.options].map((filter) => {
      const widest = role === "member" ? "user" : "org";
      const begins = filter !== null && scopesOf(role).includes(filter) ? filter : widest;
      return { role, filter, begins };
    }),
  );
  test.each(cases)(
    "of a new rule begins for $role with $begins where the list is filtered by $filter",
    async ({ role, filter, begins }) => {
      const { server } = show({ role, search: filter ? `?edit=new&scope=${filter}` : "?edit=new" });
      await editor("Create a routing rule");
      expect(screen.getByLabelText<HTMLSelectElement>(/^Applies to/).value).toBe(begins);
      // The field shows its first choice for a scope that is not among them: what is sent counts.
      const isComplete = begins === "org" || begins === "user";
      await waitFor(() =>
        expect(server.inputsOf("routingRules.dryRunDraft")).toMatchObject(
          isComplete ? [{ rule: { scope: begins } }] : [],
        ),
      );
    },
  );

  test("closes once the rule is saved, and the list shows it", async () => {
    let stored = cheap;
    const { user, query } = show({
      search: `?edit=${cheap.id}`,
      rules: {
        list: () => listed([stored]),
        update: () => {
          stored = { ...cheap, name: "Cheapest" };
          return { data: stored };
        },
      },
    });
    await fill(user, await screen.findByLabelText(/^Name/), "Cheapest");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await screen.findByText("Cheapest is saved.");
    await rowOf("Cheapest");
    expect(query().get("edit")).toBeNull();
    expect(screen.queryByRole("dialog")).toBeNull();
  });
});

test("a rule that cannot be read says so in its row", async () => {
  show({ rules: { list: () => listed([rule(3, "Old", { problem: "zone: is not a known field" })]) } });
  expect((await rowOf("Old")).getByText("Cannot be read")).toBeDefined();
});
