import type { TestProject } from "vitest/node";
import { describeTypes } from "#server/destinations/types.ts";

declare module "vitest" {
  interface ProvidedContext {
    destinationTypes: ReturnType<typeof describeTypes>;
  }
}

/** The server's code needs Node, which the page of a console's test is not: what it says is asked for before. */
export default function setup({ provide }: TestProject): void {
  provide("destinationTypes", describeTypes());
}
