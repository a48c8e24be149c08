import { amount, type Command, list, recordIn, rowsIn, table, text } from "./command.ts";

/** API keys. */
export const keyCommands: Record<string, Command> = {
  "keys list": {
    usage: "keys list [--all]",
    about: "lists the keys you can see; --all includes disabled keys",
    call: ({ all }) => ({ method: "GET", path: `/keys?include_disabled=${all === true}` }),
    show: (answer) =>
      table([
        ["HASH", "NAME", "USAGE EUR", "LIMIT EUR", "STATE"],
        ...rowsIn(answer).map(({ hash, name, usage, limit, disabled }) => [
          String(hash),
          String(name),
          String(usage),
          String(limit ?? "-"),
          disabled ? "disabled" : "active",
        ]),
      ]),
  },
  "keys create": {
    usage:
      "keys create <name> [--limit EUR] [--limit-reset daily|weekly|monthly] [--expires-at TIME] [--permissions a,b] [--models a,b] [--workspace ID]",
    about: "creates a key, which is shown only once",
    call: (values, name) => ({
      method: "POST",
      path: "/keys",
      body: {
        name,
        limit: amount(values.limit),
        limit_reset: text(values["limit-reset"]),
        expires_at: text(values["expires-at"]),
        permissions: list(values.permissions),
        allowed_models: list(values.models),
        workspace_id: text(values.workspace),
      },
    }),
    show: (answer) =>
      `${answer.key}\n\nYou will not see this key again. To revoke it: keys revoke ${recordIn(answer).hash}`,
  },
  "keys revoke": {
    usage: "keys revoke <hash>",
    about: "revokes a key permanently",
    call: (_, hash) => ({ method: "DELETE", path: `/keys/${encodeURIComponent(hash)}` }),
    show: () => "Revoked.",
  },
};
