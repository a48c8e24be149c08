import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { Member } from "#contract/member.ts";
import { Role } from "#contract/permission.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { renderConsole, sessionOf } from "#test/console/render.tsx";
import { Refusal } from "#test/console/server.ts";
import { MembersTable } from "./members-table.tsx";

const memberOf = (role: Role, more: Partial<Member> = {}): Member => ({
  ...sampleOf(Member),
  user_id: `018f0000-0000-7000-8000-0000000000b${Role.options.indexOf(role)}`,
  name: `Anna ${role}`,
  role,
  kind: "person",
  disabled: false,
  problem: null,
  ...more,
});
const others = Role.options.map((role) => memberOf(role));

function show(own: Role, members: readonly Member[] = others, update?: () => never) {
  const [onRemove, onChanged] = [vi.fn(), vi.fn()];
  const session = sessionOf(own);
  const self = memberOf(own, { user_id: session.user_id, name: "Myself" });
  const made = renderConsole(
    <MembersTable members={[self, ...members]} session={session} onRemove={onRemove} onChanged={onChanged} />,
    { role: own, answers: { members: { update: update ?? (() => ({ data: self })) } } },
  );
  const row = (name: string) => screen.getByText(name).closest("tr") ?? document.body;
  return { ...made, onRemove, onChanged, row };
}

describe.each(Role.options)("for a person who is %s", (own) => {
  const administers = own === "owner" || own === "admin";
  const rank = (role: Role) => Role.options.indexOf(role);

  test("others can be changed as the server allows, and nobody above oneself", async () => {
    const { row } = show(own);
    for (const other of Role.options) {
      const may = administers && rank(own) <= rank(other);
      await waitFor(() =>
        expect(within(row(`Anna ${other}`)).queryByRole("combobox") !== null, other).toBe(may),
      );
      expect(within(row(`Anna ${other}`)).queryAllByRole("button"), other).toHaveLength(may ? 2 : 0);
      if (may) {
        const options = within(row(`Anna ${other}`))
          .getAllByRole<HTMLOptionElement>("option")
          .map(({ value }) => value);
        expect(options).toEqual(Role.options.slice(rank(own)));
      }
    }
  });

  test("oneself can be taken out, but not switched off or given another role", async () => {
    const { user, row, onRemove } = show(own);
    expect(within(row("Myself")).queryByRole("combobox")).toBeNull();
    const [leave, ...more] = within(row("Myself")).getAllByRole("button");
    expect(more).toEqual([]);
    await user.click(leave ?? document.body);
    expect(onRemove).toHaveBeenCalledOnce();
  });
});

describe("an owner", () => {
  test("changes one field of one member at a time", async () => {
    const { user, server, row, onChanged } = show("owner");
    await waitFor(() => expect(within(row("Anna viewer")).queryByRole("combobox")).not.toBeNull());
    await user.selectOptions(within(row("Anna viewer")).getByRole("combobox"), "admin");
    await user.click(within(row("Anna member")).getByRole("button", { name: "Disable Anna member" }));
    const [, , member, viewer] = others;
    await waitFor(() => expect(onChanged).toHaveBeenCalledTimes(2));
    expect(server.inputsOf("members.update")).toEqual([
      { user_id: viewer?.user_id, role: "admin" },
      { user_id: member?.user_id, disabled: true },
    ]);
  });

  test("sees why a change was refused, and what is stored", async () => {
    const { user, row, onChanged } = show("owner", others, () => {
      throw new Refusal("CONFLICT", "The last owner stays");
    });
    await waitFor(() => expect(within(row("Anna owner")).queryByRole("combobox")).not.toBeNull());
    await user.selectOptions(within(row("Anna owner")).getByRole("combobox"), "viewer");
    await screen.findByText("The last owner stays");
    expect(onChanged).toHaveBeenCalledOnce();
  });

  test("sees whose role cannot be read, and chooses one", async () => {
    const { user, server, row } = show("owner", [memberOf("viewer", { problem: "role: must be a role" })]);
    await waitFor(() => expect(within(row("Anna viewer")).queryByRole("combobox")).not.toBeNull());
    expect(row("Anna viewer").textContent).toContain("Cannot be read");
    expect(row("Anna viewer").textContent).toContain("The problem: role: must be a role");
    const select = within(row("Anna viewer")).getByRole<HTMLSelectElement>("combobox");
    expect(select.value).toBe("");
    await user.selectOptions(select, "member");
    await waitFor(() => expect(server.inputsOf("members.update")).toMatchObject([{ role: "member" }]));
  });

  test("enables whom somebody disabled", async () => {
    const { user, server, row } = show("owner", [memberOf("member", { disabled: true })]);
    await user.click(await screen.findByRole("button", { name: "Enable Anna member" }));
    await waitFor(() => expect(server.inputsOf("members.update")).toHaveLength(1));
    expect(server.inputsOf("members.update")[0]).toMatchObject({ disabled: false });
    expect(row("Anna member").textContent).toContain("Anna member");
  });
});
