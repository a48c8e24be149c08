import { amount, type Command, type Json, Problem, recordIn, rowsIn, table, text } from "./command.ts";

const pathOf = (id: string): string => `/organisations/${encodeURIComponent(id)}`;

/** How the link reaches the owner, which is shown this once. */
function invited({ link }: Json, email: unknown): string {
  if (link === null) return `A mail with the link is on its way to ${email}.`;
  return `${link}\n\nPass this link on to ${email}. It counts once, for seven days, and is shown this once.`;
}

/** For who runs the installation: its organisations. All need a key with organisations:write. */
export const organisationCommands: Record<string, Command> = {
  "organisations list": {
    usage: "organisations list [--search TEXT]",
    about: "every organisation of the installation; this and the next are for who runs it",
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
    about: "a new organisation; its owner is invited",
    call: ({ owner, credit }, name) => ({
      method: "POST",
      path: "/organisations",
      body: { name, owner_email: text(owner), credit: amount(credit) },
    }),
    show: (answer) => `Created ${recordIn(answer).id}.\n\n${invited(answer, "the owner")}`,
  },
  "organisations rename": {
    usage: "organisations rename <id> --name NAME",
    about: "another name for an organisation",
    call: ({ name }, id) => ({ method: "PATCH", path: pathOf(id), body: { name: text(name) } }),
    show: (answer) => `It is called ${recordIn(answer).name} now.`,
  },
  "organisations invite": {
    usage: "organisations invite <id> --owner E-MAIL",
    about: "invites an owner, anew or one more",
    call: ({ owner }, id) => ({ method: "POST", path: `${pathOf(id)}/owners`, body: { email: text(owner) } }),
    show: (answer) => invited(answer, recordIn(answer).email),
  },
  "organisations suspend": {
    usage: "organisations suspend <id> --reason TEXT",
    about: "refuses its keys and its people at once, with the reason; nothing is changed or deleted",
    call: ({ reason }, id) => ({
      method: "POST",
      path: `${pathOf(id)}/suspend`,
      body: { reason: text(reason) },
    }),
    show: (answer) => `${recordIn(answer).name} is suspended.`,
  },
  "organisations resume": {
    usage: "organisations resume <id>",
    about: "lets it act again, as it was left",
    call: (_, id) => ({ method: "POST", path: `${pathOf(id)}/resume`, body: {} }),
    show: (answer) => `${recordIn(answer).name} is active again.`,
  },
  "organisations delete": {
    usage: "organisations delete <id> --name NAME",
    about: "deletes a suspended organisation for good, named to be sure; its books and audit log are kept",
    call: ({ name }, id) => {
      const named = text(name);
      if (named === undefined)
        throw new Problem("Name the organisation with --name, to be sure which is meant.");
      return { method: "DELETE", path: `${pathOf(id)}?${new URLSearchParams({ name: named })}` };
    },
    show: () => "Deleted. Its ledger, its records of requests and its audit log are kept.",
  },
};
