import { type Command, recordIn, rowsIn, table, text } from "./command.ts";

/** The members of the organisation. */
export const peopleCommands: Record<string, Command> = {
  "users list": {
    usage: "users list",
    about: "lists the members of the organisation, including service accounts",
    call: () => ({ method: "GET", path: "/members" }),
    show: (answer) =>
      table([
        ["ID", "E-MAIL", "NAME", "ROLE", "STATE"],
        ...rowsIn(answer).map(({ user_id, email, name, role, disabled }) => [
          String(user_id),
          String(email ?? "service account"),
          String(name),
          String(role),
          disabled ? "disabled" : "active",
        ]),
      ]),
  },
  "users create": {
    usage: "users create <e-mail> [--role owner|admin|member|viewer]",
    about: "invites a person; needs a key with members:write",
    call: ({ role }, email) => ({ method: "POST", path: "/invitations", body: { email, role: text(role) } }),
    show: (answer) => {
      const { email, expires_at } = recordIn(answer);
      if (answer.link === null) return `The link was sent to ${email}.`;
      return `${answer.link}\n\nShare this link with ${email}. It can be used once, until ${expires_at}, and is not shown again.`;
    },
  },
};
