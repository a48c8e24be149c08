import { type Fault, faults } from "./faults.ts";
import { SandboxError } from "./reply.ts";

export interface ChosenFault {
  /** As it was asked for, with its argument. */
  readonly name: string;
  readonly apply: (reply: Parameters<Fault["apply"]>[0]) => ReturnType<Fault["apply"]>;
}

const table: ReadonlyMap<string, Fault> = new Map(Object.entries<Fault>(faults));
const form = /^(?<name>[a-z0-9-]+)(:(?<argument>\d+))?(@(?<site>[a-z]+))?$/;

/**
 * Reads `name[:argument][@site]`, several separated by commas; the first one for this site counts.
 * Throws a 400 that lists the faults there are.
 */
export function chooseFault(text: string | undefined, site: string): ChosenFault | null {
  if (!text) return null;
  for (const spec of text.split(",").map((part) => part.trim())) {
    const groups = form.exec(spec)?.groups;
    const fault = table.get(groups?.name ?? "");
    if (!fault) {
      throw new SandboxError(400, `Unknown fault "${spec}"; known are ${[...table.keys()].join(", ")}`);
    }
    if (groups?.site !== undefined && groups.site !== site) continue;
    const argument =
      groups?.argument === undefined ? (fault.argument?.fallback ?? 0) : Number(groups.argument);
    return { name: spec, apply: (reply) => fault.apply(reply, argument) };
  }
  return null;
}
