import { screen, waitFor } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { ApiKey, ApiKeyCreate } from "#contract/key.ts";
import { Workspace } from "#contract/workspace.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { bodyOf, draftOf, type KeyDraft, newDraft } from "./key-draft.ts";
import { KeyForm } from "./key-form.tsx";

const workspace = { ...sampleOf(Workspace), id: "018f0000-0000-7000-8000-0000000000bb", name: "Research" };

function form(initial: KeyDraft = newDraft, saving = { error: null as unknown, isPending: false }) {
  const [onSave, onCancel] = [vi.fn<(draft: KeyDraft) => void>(), vi.fn()];
  const made = renderConsole(
    <KeyForm initial={initial} verb="Create" saving={saving} onSave={onSave} onCancel={onCancel} />,
    { answers: { catalogue: { models: () => ({ data: [] }) } } },
  );
  const submit = () => made.user.click(screen.getByRole("button", { name: "Create" }));
  return { ...made, onSave, onCancel, submit };
}
const nameField = () => screen.getByLabelText("Name");
const limitField = () => screen.getByLabelText(/Spending limit/);
const rateField = () => screen.getByLabelText<HTMLInputElement>(/^Requests per minute/);

describe("what is saved", () => {
  test("is what was typed, with the defaults for all other fields", async () => {
    const { user, onSave, submit } = form();
    await fill(user, nameField(), " Crawler ");
    await fill(user, limitField(), "2.50");
    await user.selectOptions(screen.getByLabelText(/^Limit resets/), "weekly");
    await fill(user, rateField(), "90");
    await user.click(screen.getByRole("switch"));
    await submit();
    const [draft] = onSave.mock.lastCall ?? [];
    expect(draft && bodyOf(draft)).toEqual({
      name: "Crawler",
      limit: 2.5,
      limit_reset: "weekly",
      include_byok_in_limit: true,
      requests_per_minute: 90,
      expires_at: null,
      allowed_models: null,
      permissions: ["inference:use"],
      workspace_id: null,
    });
  });

  test("of an empty field is null, never zero or an empty text", async () => {
    const { user, onSave, submit } = form({
      ...newDraft,
      name: "x",
      limit: "5",
      limit_reset: "daily",
      requests_per_minute: 5,
    });
    await fill(user, limitField(), "");
    await fill(user, rateField(), "");
    await submit();
    const [draft] = onSave.mock.lastCall ?? [];
    expect(draft && bodyOf(draft)).toMatchObject({
      limit: null,
      limit_reset: null,
      requests_per_minute: null,
    });
  });

  test.each([1, 2, 3, 4, 5])("of an unchanged key (%d) is what is stored", async (seed) => {
    const key = sampleOf(ApiKey, { gaps: "sometimes", seed });
    const stored = { ...key, name: "Stored", limit: 7.25, requests_per_minute: 60, expires_at: null };
    const { onSave, submit } = form(draftOf(stored));
    await submit();
    const [draft] = onSave.mock.lastCall ?? [];
    expect(draft && bodyOf(draft)).toEqual(bodyOf(draftOf(stored)));
  });
});

describe("a value that the contract refuses is reported at its field, and not sent", () => {
  const wrong = [
    ["an empty name", { name: " " }],
    ["a name that is too long", { name: "x".repeat(101) }],
    ["a limit with seven fraction digits", { limit: "0.1234567" }],
    ["a limit with a comma", { limit: "1,5" }],
    ["a limit beyond the largest", { limit: "1000000001" }],
    ["a rate of none", { requests_per_minute: 0 }],
    ["a rate with a fraction", { requests_per_minute: 1.5 }],
    ["a rate beyond the largest", { requests_per_minute: 1_000_001 }],
    ["an end beyond all years", { ends: "+012345-01-01T00:00:00.000Z" }],
  ] as const;

  test.each(wrong)("%s", async (_what, change) => {
    const draft = { ...newDraft, name: "Crawler", ...change };
    const message = ApiKeyCreate.safeParse(bodyOf(draft)).error?.issues[0]?.message ?? "the schema takes it";
    const { container, onSave } = form(draft);
    // Past the browser's own checks, as when a script submits the form.
    container.querySelector("form")?.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
    await screen.findByText(new RegExp(`^${RegExp.escape(message)}$`, "i"));
    expect(onSave).not.toHaveBeenCalled();
  });

  test.each(["0", "2000000"])("a rate of %s is not replaced by an allowed one", async (typed) => {
    const { user, container, onSave } = form({ ...newDraft, name: "Crawler" });
    await fill(user, rateField(), typed);
    await user.click(nameField());
    expect(rateField().value.replaceAll(",", "")).toBe(typed);
    container.querySelector("form")?.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
    await waitFor(() => expect(rateField().getAttribute("aria-invalid")).toBe("true"));
    expect(onSave).not.toHaveBeenCalled();
  });
});

describe("around the form", () => {
  test("a workspace can be chosen where there is one", async () => {
    const onSave = vi.fn<(draft: KeyDraft) => void>();
    const saving = { error: null, isPending: false };
    const { user } = renderConsole(
      <KeyForm
        initial={{ ...newDraft, name: "x" }}
        verb="Create"
        saving={saving}
        onSave={onSave}
        onCancel={() => {}}
      />,
      {
        answers: {
          catalogue: { models: () => ({ data: [] }) },
          workspaces: { list: () => ({ data: [workspace], total_count: 1 }) },
        },
      },
    );
    await user.selectOptions(await screen.findByLabelText(/^Workspace/), workspace.id);
    await user.click(screen.getByRole("button", { name: "Create" }));
    expect(onSave.mock.lastCall?.[0].workspace_id).toBe(workspace.id);
  });

  test("while it is being saved it cannot be sent again, but cancelled; an error is shown", async () => {
    const { user, onSave, onCancel, submit } = form(
      { ...newDraft, name: "x" },
      { error: new Error("x"), isPending: true },
    );
    await submit();
    expect(onSave).not.toHaveBeenCalled();
    expect(screen.getByRole("alert").textContent).not.toBe("");
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    expect(onCancel).toHaveBeenCalledOnce();
  });
});
