import { screen, waitFor } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { Destination } from "#contract/destination.ts";
import { ApiKey } from "#contract/key.ts";
import { Workspace } from "#contract/workspace.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { describeTypes } from "#test/console/destination-types.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { type Answers, listOf, refusing } from "#test/console/server.ts";
import { DestinationForm } from "./destination-form.tsx";

const types = describeTypes().filter(({ type }) => type === "webhook");
const created: Destination = {
  ...sampleOf(Destination, { gaps: "always" }),
  name: "Hook",
  config: {},
  sampling_rate: "1",
  filter_rules: null,
};
const key: ApiKey = { ...sampleOf(ApiKey), name: "Crawler" };
const workspace: Workspace = { ...sampleOf(Workspace), name: "Research" };
const country = { code: "FR", name: "France" };

function open(destinations: Answers["destinations"] = {}) {
  const onDone = vi.fn();
  const form = types.map((type) => <DestinationForm key={type.type} type={type} onDone={onDone} />);
  const view = renderConsole(form, {
    answers: {
      destinations: { create: () => ({ data: created }), ...destinations },
      keys: { list: () => listOf(key) },
      workspaces: { list: () => listOf(workspace) },
      routingRules: {
        euResidency: () => ({
          data: {
            as_of: "2026-01-01",
            eu_countries: [country],
            eea_countries: [],
            eu_adequate_countries: [],
          },
        }),
      },
    },
  });
  const sent = (procedure: string) => view.server.inputsOf(`destinations.${procedure}`);
  return { ...view, onDone, sent };
}
/** The form is read-only until the permissions are known. */
const editable = () => screen.findByRole("button", { name: "Create" });
const address = async () => {
  await editable();
  return screen.getByLabelText<HTMLInputElement>(/^Address/);
};
const press = async ({ user }: ReturnType<typeof open>, name: string) =>
  user.click(await screen.findByRole("button", { name }));

describe("what is created", () => {
  test("is limited as it was chosen: content, share, region, workspace and keys", async () => {
    const view = open();
    const { user } = view;
    await fill(user, await address(), "https://b.example");
    await fill(user, screen.getByLabelText(/^Name/), " Hook ");
    await user.click(screen.getByRole("switch", { name: /^Privacy mode/ }));
    screen.getByRole("slider", { name: "Sampling rate" }).focus();
    await user.keyboard("{ArrowLeft}{ArrowLeft}{ArrowLeft}");
    await user.selectOptions(
      await screen.findByLabelText(/^Data region/),
      await screen.findByRole("option", { name: "France" }),
    );
    await user.selectOptions(await screen.findByLabelText("Scope"), "Research");
    await user.click(screen.getByRole("combobox", { name: "Limit to keys" }));
    await user.click(await screen.findByRole("option", { name: "Crawler" }));
    await user.dblClick(screen.getByRole("button", { name: "Create" }));
    await waitFor(() => expect(view.onDone).toHaveBeenCalledOnce());
    expect(view.sent("create")).toEqual([
      {
        type: "webhook",
        name: "Hook",
        config: { url: "https://b.example", method: "POST" },
        privacy_mode: true,
        sampling_rate: "0.1",
        residency: "fr",
        workspace_id: workspace.id,
        api_key_filter: [key.id],
      },
    ]);
    await screen.findByText("Hook is added.");
  });

  test("needs the fields that its type requires", async () => {
    const view = open();
    expect((await address()).required).toBe(true);
    await press(view, "Create");
    expect(view.sent("create")).toEqual([]);
  });

  test("and is refused stays in the form, with the reason", async () => {
    const view = open({ create: refusing("BAD_REQUEST", "config.url: must be https") });
    await fill(view.user, await address(), "http://b.example");
    await press(view, "Create");
    expect((await screen.findByRole("alert")).textContent).toContain("config.url: must be https");
    expect((await address()).value).toBe("http://b.example");
    expect(view.onDone).not.toHaveBeenCalled();
  });
});

describe("a test before it is created", () => {
  test("sends what is typed, creates nothing and shows the answer", async () => {
    const view = open({ testUnsaved: () => ({ data: { success: true, status: 204, message: "Accepted" } }) });
    await fill(view.user, await address(), "https://b.example");
    await view.user.dblClick(screen.getByRole("button", { name: "Test" }));
    expect((await screen.findByRole("status")).textContent).toBe("Test succeededAccepted (HTTP 204)");
    expect(view.sent("testUnsaved")).toEqual([
      { type: "webhook", name: "Webhook", config: { url: "https://b.example", method: "POST" } },
    ]);
    expect(view.sent("create")).toEqual([]);
    expect(view.onDone).not.toHaveBeenCalled();
  });

  test("of a destination that cannot be reached shows no HTTP status", async () => {
    const view = open({
      testUnsaved: () => ({ data: { success: false, status: 0, message: "No such host" } }),
    });
    await fill(view.user, await address(), "https://b.example");
    await press(view, "Test");
    expect((await screen.findByRole("status")).textContent).toBe("Test failedNo such host");
  });

  test("is no longer shown once something is changed, and can be repeated", async () => {
    const view = open({ testUnsaved: () => ({ data: { success: true, status: 200, message: "Accepted" } }) });
    await fill(view.user, await address(), "https://b.example");
    await press(view, "Test");
    await screen.findByRole("status");
    await fill(view.user, await address(), "https://c.example");
    expect(screen.queryByRole("status")).toBeNull();
    await press(view, "Test");
    await screen.findByRole("status");
    expect(view.sent("testUnsaved").at(-1)).toMatchObject({ config: { url: "https://c.example" } });
  });

  test("that could not be made is reported", async () => {
    const view = open({ testUnsaved: refusing("BAD_REQUEST", "config.url: must be an address") });
    await press(view, "Test");
    expect((await screen.findByRole("alert")).textContent).toContain("must be an address");
  });
});

test("there is nothing to delete yet", async () => {
  open();
  await editable();
  expect(screen.queryByRole("button", { name: "Delete" })).toBeNull();
});
