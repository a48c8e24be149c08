import { amount, type Command, type Json, Problem, recordIn, rowsIn, table, text } from "./command.ts";

const pathOf = (id: string): string => `/organisations/${encodeURIComponent(id)}`;

/** How the owner receives the link, which is shown only once. */
function invited({ link }: Json, email: unknown): string {
  if (link === null) return `The link was sent to ${email}.`;
  return `${link}\n\nShare this link with ${email}. It can be used once, within seven days, and is not shown again.`;
}

/** The organisations of the installation, for its operator. All need a key with organisations:write. */
export const organisationCommands: Record<string, Command> = {
  "organisations list": {
    usage: "organisations list [--search TEXT]",
    about: "lists all organisations; this and the following commands are for the operator",
    call: ({ search }) => ({
      method: "GET",
      path: `/organisations?${new URLSearchParams({ ...(text(search) && { search: String(search) }) })}`,
    }),
    show: (answer) =>
      table([
        ["ID", "NAME", "PEOPLE", "BALANCE EUR", "STATE"],
        ...rowsIn(answer).map(({ id, name, people, balance, state, suspended_reason }) => [
          String(id),
          String(name),
          String(people),
          String(balance),
          state === "suspended" ? `suspended: ${suspended_reason}` : String(state),
        ]),
      ]),
  },
  "organisations create": {
    usage: "organisations create <name> --owner E-MAIL [--credit EUR]",
    about: "creates an organisation and invites its owner",
    call: ({ owner, credit }, name) => ({
      method: "POST",
      path: "/organisations",
      body: { name, owner_email: text(owner), credit: amount(credit) },
    }),
    show: (answer) => `Created ${recordIn(answer).id}.\n\n${invited(answer, "the owner")}`,
  },
  "organisations rename": {
    usage: "organisations rename <id> --name NAME",
    about: "renames an organisation",
    call: ({ name }, id) => ({ method: "PATCH", path: pathOf(id), body: { name: text(name) } }),
    show: (answer) => `Renamed to ${recordIn(answer).name}.`,
  },
  "organisations invite": {
    usage: "organisations invite <id> --owner E-MAIL",
    about: "invites an owner again, or another owner",
    call: ({ owner }, id) => ({ method: "POST", path: `${pathOf(id)}/owners`, body: { email: text(owner) } }),
    show: (answer) => invited(answer, recordIn(answer).email),
  },
  "organisations suspend": {
    usage: "organisations suspend <id> --reason TEXT",
    about: "refuses all its keys and members at once, with the reason; nothing is deleted",
    call: ({ reason }, id) => ({
      method: "POST",
      path: `${pathOf(id)}/suspend`,
      body: { reason: text(reason) },
    }),
    show: (answer) => `${recordIn(answer).name} is suspended.`,
  },
  "organisations resume": {
    usage: "organisations resume <id>",
    about: "ends a suspension",
    call: (_, id) => ({ method: "POST", path: `${pathOf(id)}/resume`, body: {} }),
    show: (answer) => `${recordIn(answer).name} is active again.`,
  },
  "organisations delete": {
    usage: "organisations delete <id> --name NAME",
    about: "deletes a suspended organisation permanently; its ledger and audit log are retained",
    call: ({ name }, id) => {
      const named = text(name);
      if (named === undefined) throw new Problem("Confirm with --name and the name of the organisation.");
      return { method: "DELETE", path: `${pathOf(id)}?${new URLSearchParams({ name: named })}` };
    },
    show: () => "Deleted. Its ledger, its request records and its audit log are retained.",
  },
};
