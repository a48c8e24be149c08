import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { Destination, secretMask } from "#contract/destination.ts";
import { Role } from "#contract/permission.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { describeTypes } from "#test/console/destination-types.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import { renderConsole } from "#test/console/render.tsx";
import { type Answers, Refusal } from "#test/console/server.ts";
import { DestinationForm } from "./destination-form.tsx";

const types = describeTypes();
type Type = (typeof types)[number];
type DestinationAnswers = NonNullable<Answers["destinations"]>;

const webhook = types.find(({ type }) => type === "webhook") ?? types[0];
const savedOf = (type: Type): Destination => ({
  ...sampleOf(Destination, { gaps: "always" }),
  type: type.type,
  name: "Traces",
  config: { url: "https://a.example", apiKey: secretMask },
  sampling_rate: "1",
  filter_rules: null,
});

function form(
  type: Type,
  {
    saved,
    answers = {},
    role = "owner",
  }: { saved?: Destination; answers?: DestinationAnswers; role?: Role } = {},
) {
  const onDone = vi.fn();
  const made = renderConsole(<DestinationForm type={type} saved={saved} onDone={onDone} />, {
    role,
    answers: {
      keys: { list: () => ({ data: [], total_count: 0 }) },
      routingRules: {
        euResidency: () => ({
          data: { as_of: "2026-01-01", eu_countries: [], eea_countries: [], eu_adequate_countries: [] },
        }),
      },
      destinations: answers,
    },
  });
  return { ...made, onDone };
}
const propertiesOf = ({ config_schema }: Type) =>
  Object.entries(
    (config_schema.properties ?? {}) as Record<
      string,
      { title?: string; writeOnly?: boolean; enum?: string[] }
    >,
  );
/** A type's own fields stand before those that all types have; one of the same label is not meant. */
function fieldOf(title: string): HTMLElement {
  const label = new RegExp(`^${title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}( \\*)?$`);
  const [field] = screen.getAllByLabelText(label, { selector: "input, textarea, select" });
  if (!field) throw new Error(`There is no field ${title}`);
  return field;
}

describe.each(types.map((type) => [type.type, type] as const))("the form of a %s", (_name, type) => {
  test("has a field for every property of its schema, and hides what is secret", async () => {
    form(type);
    await screen.findByRole("button", { name: "Create" });
    for (const [name, { title, writeOnly, enum: choices }] of propertiesOf(type)) {
      const field = fieldOf(title ?? name);
      if (writeOnly && field.matches("input")) expect(field.getAttribute("type"), name).toBe("password");
      if (choices)
        expect(
          [...field.querySelectorAll("option")].map((one) => one.value),
          name,
        ).toEqual(choices);
    }
  });

  test("sends each of them under its own name", async () => {
    const { server, container } = form(type, { answers: { create: () => ({ data: savedOf(type) }) } });
    await screen.findByRole("button", { name: "Create" });
    const typed = propertiesOf(type)
      .filter(([, { enum: choices }]) => !choices)
      .map(([name, { title }], at) => {
        fireEvent.change(fieldOf(title ?? name), { target: { value: `value ${at}` } });
        return [name, `value ${at}`] as const;
      });
    fireEvent.submit(container.querySelector("form") ?? document.body);
    await waitFor(() => expect(server.inputsOf("destinations.create")).toHaveLength(1));
    expect(server.inputsOf("destinations.create")[0]).toMatchObject({
      type: type.type,
      config: Object.fromEntries(typed),
      privacy_mode: false,
      sampling_rate: "1",
      residency: null,
      workspace_id: null,
      api_key_filter: null,
    });
  });
});

describe("a saved destination", () => {
  if (!webhook) throw new Error("there is no webhook");
  const saved = savedOf(webhook);

  test("is sent back with its masked secrets, and null for what was emptied", async () => {
    const { server, container } = form(webhook, { saved, answers: { update: () => ({ data: saved }) } });
    await screen.findByRole("button", { name: "Save" });
    const [, { title = "url" }] = propertiesOf(webhook).find(([name]) => name === "url") ?? ["", {}];
    fireEvent.change(fieldOf(title), { target: { value: "" } });
    fireEvent.submit(container.querySelector("form") ?? document.body);
    await waitFor(() => expect(server.inputsOf("destinations.update")).toHaveLength(1));
    expect(server.inputsOf("destinations.update")[0]).toMatchObject({
      id: saved.id,
      config: { url: null, apiKey: secretMask },
    });
  });

  test("is tested as it is saved: with unsaved changes there is no test", async () => {
    const test = () => ({ data: { success: false, status: 401, message: "Denied" } });
    const { user, server } = form(webhook, { saved, answers: { test } });
    await user.click(await screen.findByRole("button", { name: "Test" }));
    expect((await screen.findByRole("status")).textContent).toContain("Denied (HTTP 401)");
    expect(server.inputsOf("destinations.test")).toEqual([{ id: saved.id }]);
    await user.click(screen.getByRole("switch", { name: /^Privacy mode/ }));
    expect(screen.queryByText(/Denied/)).toBeNull();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Test" }).disabled).toBe(true);
  });

  test("that is refused shows the reason and stays open", async () => {
    const update = () => {
      throw new Refusal("BAD_REQUEST", "config.url: must be https");
    };
    const { onDone, container } = form(webhook, { saved, answers: { update } });
    await screen.findByRole("button", { name: "Save" });
    fireEvent.submit(container.querySelector("form") ?? document.body);
    expect((await screen.findByRole("alert")).textContent).toContain("must be https");
    expect(onDone).not.toHaveBeenCalled();
  });

  test("is deleted only once its name is typed", async () => {
    const { user, server } = form(webhook, {
      saved,
      answers: { remove: () => ({ data: { success: true } }) },
    });
    await user.click(await screen.findByRole("button", { name: "Delete" }));
    const dialog = await screen.findByRole("dialog", { name: "Delete Traces" });
    expect(server.inputsOf("destinations.remove")).toEqual([]);
    await user.type(within(dialog).getByLabelText(/to confirm/), "Traces{Enter}");
    await waitFor(() => expect(server.inputsOf("destinations.remove")).toEqual([{ id: saved.id }]));
    expect(server.inputsOf("destinations.update")).toEqual([]);
  });

  test.each(Role.options)("can be changed by a person who is %s only as the server allows", async (role) => {
    const { container } = form(webhook, { saved, role });
    const may = permissionsOf(role).has("broadcast:write");
    await waitFor(() => expect(screen.queryByRole("button", { name: "Save" }) !== null).toBe(may));
    expect(screen.queryByRole("button", { name: "Delete" }) !== null).toBe(may);
    expect(container.querySelector("fieldset:disabled") !== null).toBe(!may);
  });
});
