import { type Command, type Json, recordIn, text } from "./command.ts";

/** The organisation's credit. */
export const creditCommands: Record<string, Command> = {
  "credits show": {
    usage: "credits show",
    about: "shows the organisation's credit",
    call: () => ({ method: "GET", path: "/me" }),
    show: ({ org_name, credits }) => {
      if (credits === null) return `${org_name}: this key belongs to a workspace and cannot see the credit`;
      const { balance, total_credits, total_usage } = credits as Json;
      return `${org_name}: ${balance} EUR left of ${total_credits} EUR, ${total_usage} EUR used`;
    },
  },
  "credits grant": {
    usage: "credits grant <EUR> --reason TEXT",
    about: "adds credit to the organisation; owners only",
    call: ({ reason }, eur) => ({
      method: "POST",
      path: "/credits/grants",
      body: { amount: Number(eur), reason: text(reason) },
    }),
    show: (answer) =>
      `Granted ${recordIn(answer).amount} EUR. The balance is ${recordIn(answer).balance} EUR.`,
  },
};
