import type { TestProject } from "vitest/node";
import { describeTypes } from "#server/destinations/types.ts";

declare module "vitest" {
  interface ProvidedContext {
    destinationTypes: ReturnType<typeof describeTypes>;
  }
}

/** Destination types come from server code, which needs Node: they are read before the tests run in a browser page. */
export default function setup({ provide }: TestProject): void {
  provide("destinationTypes", describeTypes());
}
