import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { AppliedConfiguration, ConfigurationPlan } from "#contract/configuration.ts";
import { Role } from "#contract/permission.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import { renderConsole } from "#test/console/render.tsx";
import { type Answers, refusing } from "#test/console/server.ts";
import { ConfigurationScreen } from "./configuration-screen.tsx";

const digest = "a".repeat(64);
const plan: ConfigurationPlan = {
  digest,
  changes: [
    {
      kind: "workspaces",
      name: "Service",
      action: "update",
      fields: [{ field: "limit", before: 250, after: null }],
    },
    { kind: "keys", name: "Widget", action: "create", fields: [] },
  ],
  summary: { create: 1, update: 1, replace: 0, delete: 0 },
  unlisted: [{ kind: "rules", name: "Old" }],
  consequences: [
    {
      code: "workspace_limit",
      kind: "workspaces",
      name: "Service",
      requests: 2,
      message: "2 requests came after",
    },
  ],
  secrets: [],
  traffic: { since: "2026-10-01T00:00:00.000Z", requests: 12, truncated: false },
};
const applied: AppliedConfiguration = {
  digest,
  changes: plan.changes,
  summary: plan.summary,
  keys: [{ name: "Widget", key: "ptl_new" }],
};
const same: ConfigurationPlan = {
  ...plan,
  changes: [],
  consequences: [],
  unlisted: [],
  summary: { create: 0, update: 0, replace: 0, delete: 0 },
};

const visit = (config: Answers["config"] = {}, role: Role = "owner") =>
  renderConsole(<ConfigurationScreen />, {
    role,
    answers: {
      config: { planFile: () => ({ data: plan }), applyFile: () => ({ data: applied }), ...config },
    },
  });
type User = ReturnType<typeof visit>["user"];

async function planWith(user: User, text = "version: 1") {
  await user.click(await screen.findByLabelText("Or paste it here"));
  await user.paste(text);
  await user.click(screen.getByRole("button", { name: "Show plan" }));
}

afterEach(() => vi.restoreAllMocks());

test("the current configuration is downloaded as a file", async () => {
  const blobs: Blob[] = [];
  vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
    if (blob instanceof Blob) blobs.push(blob);
    return "blob:x";
  });
  const { user } = visit({ exportFile: () => ({ data: { file: "version: 1\n" } }) });
  await user.click(await screen.findByRole("button", { name: "Download portolan.yaml" }));
  await waitFor(async () => expect(await blobs[0]?.text()).toBe("version: 1\n"));
});

describe("a plan", () => {
  test("shows changes by kind, what past traffic would have done, and what stays", async () => {
    const { user } = visit();
    await planWith(user);
    const shown = within(await screen.findByRole("region", { name: "Plan" }));
    expect((await shown.findByRole("status")).textContent).toBe(
      "The state differs from the file: 1 to create, 1 to change",
    );
    const fields = within(shown.getByRole("table", { name: "Fields of Service" }));
    expect(fields.getAllByRole("row")[1]?.textContent).toBe("limit250not set");
    expect(screen.getByRole("region", { name: "Workspaces: Service" }).textContent).toContain(
      "2 requests came after",
    );
    expect(screen.getByRole("region", { name: "Not in the file" }).textContent).toContain("Rules: Old");
  });

  test("an uploaded file is shown and sent, with what is to be deleted", async () => {
    const { user, server } = visit();
    await screen.findByText("Choose a file");
    const input = document.querySelector<HTMLInputElement>('input[type="file"]') ?? document.body;
    await user.upload(input, new File(["version: 1 # mine"], "portolan.yaml", { type: "" }));
    await waitFor(() =>
      expect((screen.getByLabelText("Or paste it here") as HTMLTextAreaElement).value).toBe(
        "version: 1 # mine",
      ),
    );
    await user.click(screen.getByLabelText("Delete what is not in the file"));
    await user.click(screen.getByRole("button", { name: "Show plan" }));
    await screen.findByRole("region", { name: "Plan" });
    expect(server.inputsOf("config.planFile")).toEqual([
      { file: "version: 1 # mine", prune: true, secrets: {} },
    ]);
    expect(screen.queryByRole("region", { name: "Not in the file" })).toBeNull();
  });

  test("says when there is no drift, and offers nothing to apply", async () => {
    const { user } = visit({ planFile: () => ({ data: same }) });
    await planWith(user);
    expect((await screen.findByRole("status")).textContent).toBe("No drift: the state is that of the file");
    expect(screen.queryByRole("button", { name: "Apply…" })).toBeNull();
  });

  test("is gone when the file changes, because it was of another one", async () => {
    const { user } = visit();
    await planWith(user);
    await screen.findByRole("region", { name: "Plan" });
    await user.type(screen.getByLabelText("Or paste it here"), "x");
    expect(screen.queryByRole("region", { name: "Plan" })).toBeNull();
  });

  test("a refused file is reported", async () => {
    const { user } = visit({ planFile: refusing("BAD_REQUEST", "keys.0.name, line 3: must not be empty") });
    await planWith(user);
    expect((await screen.findByRole("alert")).textContent).toContain(
      "keys.0.name, line 3: must not be empty",
    );
  });

  test("secrets are entered beside the file, and sent with the next plan and with what is applied", async () => {
    const { user, server } = visit({
      planFile: ({ secrets }) => ({
        data: { ...plan, secrets: "env:HOOK" in (secrets ?? {}) ? [] : ["env:HOOK"] },
      }),
    });
    await planWith(user);
    await user.type(await screen.findByLabelText("env:HOOK"), "some-secret");
    await user.click(screen.getByRole("button", { name: "Plan with these values" }));
    await screen.findByText("A value was entered");
    await user.click(screen.getByRole("button", { name: "Apply…" }));
    await user.click(await screen.findByRole("button", { name: "Apply" }));
    await screen.findByText("The configuration is applied.");
    const sent = { file: "version: 1", prune: false, secrets: { "env:HOOK": "some-secret" } };
    expect(server.inputsOf("config.planFile")[1]).toEqual(sent);
    expect(server.inputsOf("config.applyFile")).toEqual([{ ...sent, digest }]);
  });
});

describe("applying", () => {
  test("asks first, sends the digest of the plan, and shows new keys once", async () => {
    const { user, server } = visit();
    await planWith(user);
    await user.click(await screen.findByRole("button", { name: "Apply…" }));
    expect(server.inputsOf("config.applyFile")).toEqual([]);
    await user.click(await screen.findByRole("button", { name: "Apply" }));
    await screen.findByText("You will not see these API keys again");
    expect(screen.getByRole("region", { name: "API key Widget" }).textContent).toContain("ptl_new");
    expect(server.inputsOf("config.applyFile")).toEqual([
      { file: "version: 1", prune: false, secrets: {}, digest },
    ]);
    expect(screen.queryByRole("region", { name: "Plan" })).toBeNull();
  });

  test("a deletion has to be confirmed", async () => {
    const { user } = visit({
      planFile: () => ({ data: { ...plan, summary: { ...plan.summary, delete: 2 } } }),
    });
    await planWith(user);
    await user.click(await screen.findByRole("button", { name: "Apply…" }));
    const button = await screen.findByRole<HTMLButtonElement>("button", { name: "Apply" });
    expect(button.disabled).toBe(true);
    await user.click(screen.getByLabelText("Delete 2 resources. This cannot be undone."));
    expect(button.disabled).toBe(false);
  });

  test("a refusal is reported in the dialog", async () => {
    const { user } = visit({ applyFile: refusing("CONFLICT", "digest: plan again") });
    await planWith(user);
    await user.click(await screen.findByRole("button", { name: "Apply…" }));
    await user.click(await screen.findByRole("button", { name: "Apply" }));
    expect((await screen.findByRole("alert")).textContent).toContain("digest: plan again");
  });
});

test.each(Role.options)("a person who is %s sees what the server allows", async (role) => {
  visit({}, role);
  await screen.findByRole("heading", { name: "Settings" });
  const isAllowed = permissionsOf(role).has("workspaces:write");
  await waitFor(() => expect(screen.queryByRole("button", { name: "Show plan" }) !== null).toBe(isAllowed));
});
