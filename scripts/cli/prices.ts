import { readFileSync } from "node:fs";
import { type Command, type Json, Problem, recordIn, rowsIn, table } from "./command.ts";

function readJson(file: string): Json {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Json;
  } catch (error) {
    throw new Problem(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** Prices of endpoints. */
export const priceCommands: Record<string, Command> = {
  "prices import": {
    usage: "prices import <file>",
    about: "imports prices from a file, all or none (docs/billing.md)",
    call: (_, file) => ({ method: "POST", path: "/prices", body: readJson(file) }),
    show: (answer) => `${recordIn(answer).imported} prices imported.`,
  },
  "prices show": {
    usage: "prices show <endpoint>",
    about: "lists the past, current and future prices of an endpoint",
    call: (_, endpoint) => ({ method: "GET", path: `/prices?endpoint=${encodeURIComponent(endpoint)}` }),
    show: (answer) =>
      table([
        ["FROM", "UNTIL", "INPUT", "OUTPUT", "", "ORIGIN", "VERSION"],
        ...rowsIn(answer).map(
          ({ valid_from, valid_until, input, output, currency, origin, version, current }) => [
            String(valid_from ?? "-"),
            String(valid_until ?? "-"),
            String(input ?? "-"),
            String(output ?? "-"),
            String(currency ?? "-"),
            `${origin}${current ? " (now)" : ""}`,
            String(version ?? "-"),
          ],
        ),
      ]),
  },
};
