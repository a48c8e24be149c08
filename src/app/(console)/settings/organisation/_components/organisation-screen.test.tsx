import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { Organisation, RetentionRow } from "#contract/organisation.ts";
import { Role } from "#contract/permission.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { type Answers, refusing } from "#test/console/server.ts";
import { OrganisationScreen } from "./organisation-screen.tsx";

const nordwind: Organisation = { ...sampleOf(Organisation), name: "Nordwind", plan: "self_hosted" };
const kinds = RetentionRow.shape.what.options;
const retention: RetentionRow[] = [
  { what: "generations", days: 400, setting: "GENERATION_RETENTION_DAYS" },
  { what: "responses", days: 1, setting: "RESPONSE_RETENTION_DAYS" },
  { what: "ledger", days: null, setting: null },
];

const visit = (organisation: Answers["organisation"] = {}, role: Role = "owner") =>
  renderConsole(<OrganisationScreen />, {
    role,
    answers: {
      tags: { list: () => ({ data: [] }) },
      organisation: { get: () => nordwind, retention: () => retention, ...organisation },
    },
  });

test("the organisation is renamed once; then everything that shows its name is loaded again", async () => {
  const { user, server } = visit({ rename: ({ name }) => ({ ...nordwind, name }) });
  const field = await screen.findByLabelText<HTMLInputElement>("Name");
  expect(field.value).toBe("Nordwind");
  await fill(user, field, " Südwind ");
  await user.dblClick(screen.getByRole("button", { name: "Rename" }));
  await screen.findByText("The organisation is renamed to Südwind.");
  expect(server.inputsOf("organisation.rename")).toEqual([{ name: "Südwind" }]);
  await waitFor(() => expect(server.inputsOf("session.get").length).toBeGreaterThan(1));
});

test("a name that is refused is reported, and stays in the field", async () => {
  const { user } = visit({ rename: refusing("CONFLICT", "The name is taken") });
  await fill(user, await screen.findByLabelText("Name"), "Südwind");
  await user.click(screen.getByRole("button", { name: "Rename" }));
  expect((await screen.findByRole("alert")).textContent).toContain("The name is taken");
  expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("Südwind");
});

test.each(Role.options)(
  "a person who is %s renames it as the server allows, and sees the name in any case",
  async (role) => {
    visit({}, role);
    const mayRename = permissionsOf(role).has("members:write");
    await screen.findByText("self hosted");
    await waitFor(() => expect(screen.queryByRole("button", { name: "Rename" }) !== null).toBe(mayRename));
    if (mayRename) expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("Nordwind");
    else screen.getByText("Nordwind");
  },
);

test("the table of retention shows how long each kind of data is stored, and the setting for it", async () => {
  visit();
  const table = await screen.findByRole("table", { name: "Data retention" });
  const rows = within(table).getAllByRole("row").slice(1);
  expect(
    rows.map((row) =>
      within(row)
        .getAllByRole("cell")
        .map(({ textContent }) => textContent),
    ),
  ).toEqual([
    ["400 days", "GENERATION_RETENTION_DAYS"],
    ["1 day", "RESPONSE_RETENTION_DAYS"],
    ["Forever", "Portolan"],
  ]);
});

test.each(kinds)("the retention of %s has a name and a note", async (what) => {
  visit({ retention: () => [{ what, days: 30, setting: null }] });
  const table = await screen.findByRole("table", { name: "Data retention" });
  const header = within(table).getByRole("rowheader");
  expect(header.textContent?.length).toBeGreaterThan(15);
});

test("each half of the screen can fail alone and be loaded again", async () => {
  let isFailing = true;
  const { user } = visit({
    retention: () => (isFailing ? refusing("INTERNAL_ERROR", "Out of order")() : retention),
  });
  await screen.findByText("self hosted");
  await screen.findByText("Out of order");
  isFailing = false;
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByRole("table", { name: "Data retention" });
});
