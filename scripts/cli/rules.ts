import { type Command, type Json, recordIn, text } from "./command.ts";

/** Routing rules. */
export const ruleCommands: Record<string, Command> = {
  "rules dry-run": {
    usage: "rules dry-run [--model M] [--rule NAME] [--residency eu]",
    about: "shows which providers a request would use, and why others are excluded",
    call: ({ model, rule, residency }) => ({
      method: "POST",
      path: "/routing-rules/dry-run",
      body: {
        model: text(model),
        rule_name: text(rule),
        ...(residency && { preference_overrides: { data_residency: text(residency) } }),
      },
    }),
    show: (answer) =>
      (recordIn(answer).results as Json[])
        .map(({ model, providers, excluded }) => {
          const reasons = (excluded as Json[]).map(
            ({ provider, excluded_by }) => `\n  excluded ${provider}: ${excluded_by}`,
          );
          return `${model}: ${(providers as string[]).join(", ") || "no eligible provider"}${reasons.join("")}`;
        })
        .join("\n"),
  },
};
