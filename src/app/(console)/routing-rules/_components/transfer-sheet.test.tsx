import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Role } from "#contract/permission.ts";
import { RoutingRule } from "#contract/routing-rule.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import { renderConsole } from "#test/console/render.tsx";
import { type Answers, Refusal } from "#test/console/server.ts";
import { fileOf } from "./rule-file.ts";
import { TransferSheet } from "./transfer-sheet.tsx";

const rule = (digit: number, name: string, more: Partial<RoutingRule> = {}): RoutingRule => ({
  ...sampleOf(RoutingRule, { gaps: "always" }),
  id: `018f0000-0000-7000-8000-0000000000f${digit}`,
  name,
  description: null,
  scope: "org",
  enabled: true,
  auto_apply: true,
  provider: { zdr: true },
  ...more,
});
const [same, changed, extra] = [rule(1, "Same"), rule(2, "Changed"), rule(3, "Extra")];
const stored = [same, changed, extra];
/** One rule unchanged, one changed, one new; one of the stored ones is missing. */
const file = fileOf([
  same,
  { ...changed, enabled: false, provider: { eu_owned: true } },
  rule(4, "New", { provider: { data_residency: "eu" } }),
]);

type RuleAnswers = NonNullable<Answers["routingRules"]>;
function show(rules: RuleAnswers = {}, role: Role = "owner") {
  const onClose = vi.fn();
  const made = renderConsole(<TransferSheet onClose={onClose} />, {
    role,
    answers: {
      routingRules: {
        list: () => ({ data: stored, total_count: stored.length }),
        create: () => ({ data: same }),
        update: () => ({ data: changed }),
        remove: () => ({ data: { success: true } }),
        ...rules,
      },
    },
  });
  return { ...made, onClose };
}
type User = ReturnType<typeof show>["user"];
async function choose(user: User, text: string) {
  await screen.findByText(/Export all \d+ rules/);
  await screen.findByText("Import from a file");
  const input = document.querySelector<HTMLInputElement>('input[type="file"]') ?? document.body;
  await user.upload(input, new File([text], "routing-rules.json", { type: "application/json" }));
}
const plan = async () => within(await screen.findByRole("region", { name: "Plan" }));
const changes = async () => (await plan()).getAllByRole("listitem").map((item) => item.textContent);
const writes = ({ server }: ReturnType<typeof show>) =>
  server.calls.map(({ path }) => path).filter((path) => /create|update|remove/.test(path));

afterEach(() => vi.restoreAllMocks());

describe("exporting", () => {
  test("saves all rules as a file, however many requests that takes", async () => {
    const blobs: Blob[] = [];
    vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
      if (blob instanceof Blob) blobs.push(blob);
      return "blob:x";
    });
    const made = show({
      list: ({ offset }) => ({
        data: offset === "0" ? [same, changed] : [extra],
        total_count: 3,
      }),
    });
    await screen.findByText(/Export all 3 rules/);
    await made.user.click(screen.getByRole("button", { name: "Export" }));
    expect(await blobs[0]?.text()).toBe(fileOf(stored));
    expect(made.server.inputsOf("routingRules.list")).toMatchObject([{ offset: "0" }, { offset: "2" }]);
  });

  test("ends when rules disappear while they are read", async () => {
    show({ list: ({ offset }) => ({ data: offset === "0" ? [same] : [], total_count: 9 }) });
    expect(await screen.findByText(/Export all 1 rules/)).toBeTruthy();
  });

  test("is not possible before the rules are there, and can be tried again when they could not be read", async () => {
    let failing = true;
    const { user } = show({
      list: () => {
        if (failing) throw new Refusal("SERVICE_UNAVAILABLE", "The database is restarting");
        return { data: stored, total_count: 3 };
      },
    });
    const button = screen.getByRole<HTMLButtonElement>("button", { name: "Export" });
    expect(button.disabled).toBe(true);
    const retry = await screen.findByRole("button", { name: "Try again" });
    failing = false;
    await user.click(retry);
    await waitFor(() => expect(button.disabled).toBe(false));
  });
});

describe("importing", () => {
  test.each(Role.options)("is offered to a person who is %s as they may write rules", async (role) => {
    show({}, role);
    await screen.findByText(/Export all 3 rules/);
    const may = permissionsOf(role).has("routing:write");
    await waitFor(() => expect(screen.queryByText("Import from a file") !== null).toBe(may));
  });

  test("shows first what would change, and changes nothing by itself", async () => {
    const made = show();
    await choose(made.user, file);
    expect(await changes()).toEqual(["Create New: runs in the EU", "Change Changed: provider, enabled"]);
    expect((await plan()).getByText("1 rule unchanged.")).toBeTruthy();
    expect(writes(made)).toEqual([]);
  });

  test("sends what was planned, leaves other rules alone, and closes", async () => {
    const made = show();
    await choose(made.user, file);
    await made.user.dblClick((await plan()).getByRole("button", { name: "Apply" }));
    await waitFor(() => expect(made.onClose).toHaveBeenCalledOnce());
    expect(await screen.findByText("The rules are imported.")).toBeTruthy();
    expect(writes(made)).toEqual(["routingRules.create", "routingRules.update"]);
    expect(made.server.inputsOf("routingRules.create")).toMatchObject([
      { name: "New", scope: "org", provider: { data_residency: "eu" } },
    ]);
    expect(made.server.inputsOf("routingRules.update")).toEqual([
      {
        id: changed.id,
        name: "Changed",
        description: null,
        model: null,
        models: null,
        provider: { eu_owned: true },
        enabled: false,
        auto_apply: true,
      },
    ]);
  });

  test("deletes rules that are not in the file only when asked to, and lists them first", async () => {
    const made = show();
    await choose(made.user, file);
    const box = (await plan()).getByRole("checkbox", { name: "Also delete the 1 that is not in the file" });
    await made.user.click(box);
    expect((await changes()).at(-1)).toBe("Delete Extra");
    await made.user.click((await plan()).getByRole("button", { name: "Apply" }));
    await waitFor(() => expect(made.server.inputsOf("routingRules.remove")).toEqual([{ id: extra.id }]));
  });

  test("of the same rules has nothing to apply", async () => {
    const made = show();
    await choose(made.user, fileOf(stored));
    expect(await changes()).toEqual(["No changes."]);
    expect((await plan()).getByRole<HTMLButtonElement>("button", { name: "Apply" }).disabled).toBe(true);
    expect((await plan()).getByText("3 rules unchanged.")).toBeTruthy();
    expect((await plan()).queryByRole("checkbox")).toBeNull();
  });

  test("that failed half-way says so, and the plan shows the rest", async () => {
    const now = [...stored];
    const made = show({
      list: () => ({ data: now, total_count: now.length }),
      create: (input) => {
        const data = rule(4, input.name, { provider: { data_residency: "eu" } });
        now.push(data);
        return { data };
      },
      update: () => {
        throw new Refusal("CONFLICT", "The rule was changed meanwhile");
      },
    });
    await choose(made.user, file);
    await made.user.click((await plan()).getByRole("button", { name: "Apply" }));
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("The rule was changed meanwhile");
    expect(alert.textContent).toContain("Earlier changes were applied");
    await waitFor(async () => expect(await changes()).toEqual(["Change Changed: provider, enabled"]));
    expect(made.onClose).not.toHaveBeenCalled();
  });

  test.each([
    ["is not JSON", "{", "not valid JSON"],
    ["is of another format", '{"format":"other/1","rules":[]}', 'must be "portolan-rules/1"'],
    ["has a rule without a name", '{"format":"portolan-rules/1","rules":[{"name":""}]}', "rules.0.name"],
    [
      "has a rule twice",
      '{"format":"portolan-rules/1","rules":[{"name":"A"},{"name":" a"}]}',
      'contains the rule "a" twice',
    ],
  ])("a file that %s says so, and offers nothing to apply", async (_case, text, problem) => {
    const made = show();
    await choose(made.user, text);
    expect((await screen.findByRole("alert")).textContent).toContain(problem);
    expect(screen.queryByRole("button", { name: "Apply" })).toBeNull();
  });
});
