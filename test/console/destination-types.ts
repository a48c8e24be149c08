import { inject } from "vitest";

/** The server's description of its destination types; the console's forms are made of it. */
export const describeTypes = () => inject("destinationTypes");
