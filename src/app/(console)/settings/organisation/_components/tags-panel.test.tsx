import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { Role } from "#contract/permission.ts";
import type { Tag } from "#contract/tag.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import { renderConsole } from "#test/console/render.tsx";
import { type Answers, refusing } from "#test/console/server.ts";
import { TagsPanel } from "./tags-panel.tsx";

const team: Tag = { name: "metadata.team", values: 1_000, values_max: 1_000, other_requests: 3 };

const visit = (tags: Answers["tags"] = {}, role: Role = "owner") =>
  renderConsole(<TagsPanel />, { role, answers: { tags: { list: () => ({ data: [team] }), ...tags } } });

test("the tags are shown with their values of the month, and what was counted beyond the maximum", async () => {
  visit();
  const table = await screen.findByRole("table", { name: "Values of tags" });
  expect(table.textContent).toContain(
    "team1,000 of 1,000 values this month; 3 requests counted as “(other)”",
  );
});

test("end user and keys of metadata are added, and all tags are sent", async () => {
  const { user, server } = visit({ set: () => ({ data: [team] }) });
  await user.click(await screen.findByLabelText("End user"));
  await user.type(screen.getByRole("combobox", { name: "Keys of metadata" }), "cost_centre{Enter}");
  await user.click(screen.getByRole("button", { name: "Save tags" }));
  await screen.findByText("The tags are saved.");
  expect(server.inputsOf("tags.set")).toEqual([
    { tags: ["end_user", "metadata.team", "metadata.cost_centre"] },
  ]);
});

test("a key that cannot be a tag is named, and nothing is sent", async () => {
  const { user, server } = visit({ set: () => ({ data: [team] }) });
  await user.type(await screen.findByRole("combobox", { name: "Keys of metadata" }), "my team{Enter}");
  await screen.findByText(/^“my team” must have 1 to 64 letters/);
  await user.click(screen.getByRole("button", { name: "Save tags" }));
  expect(server.inputsOf("tags.set")).toEqual([]);
});

test("a refusal is reported", async () => {
  const { user } = visit({ set: refusing("CONFLICT", "A budget uses this tag") });
  await user.click(await screen.findByRole("button", { name: "Save tags" }));
  expect((await screen.findByRole("alert")).textContent).toContain("A budget uses this tag");
});

test.each(Role.options)("a person who is %s chooses tags as the server allows", async (role) => {
  visit({}, role);
  await screen.findByRole("table", { name: "Values of tags" });
  const mayWrite = permissionsOf(role).has("workspaces:write");
  await waitFor(() => expect(screen.queryByRole("button", { name: "Save tags" }) !== null).toBe(mayWrite));
});
