import { activityCommands } from "./activity.ts";
import { catalogueCommands } from "./catalogue.ts";
import type { Command } from "./command.ts";
import { configCommands } from "./config.ts";
import { creditCommands } from "./credits.ts";
import { keyCommands } from "./keys.ts";
import { organisationCommands } from "./organisations.ts";
import { peopleCommands } from "./people.ts";
import { priceCommands } from "./prices.ts";
import { ruleCommands } from "./rules.ts";

/** Every command by its words, in the order of the help. */
export const commands: Readonly<Record<string, Command>> = {
  ...keyCommands,
  ...creditCommands,
  ...peopleCommands,
  ...activityCommands,
  ...priceCommands,
  ...catalogueCommands,
  ...organisationCommands,
  ...ruleCommands,
  ...configCommands,
};

export const usage = `Usage: npm run cli -- <command> [--json]\n\n${Object.values(commands)
  .map((command) => `  ${command.usage}\n      ${command.about}`)
  .join("\n")}\n\nPORTOLAN_API_KEY is the key to act with, PORTOLAN_URL the server (http://localhost:3000).`;
