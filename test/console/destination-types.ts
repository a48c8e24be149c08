import { inject } from "vitest";

/** What the server says of its destination types: the console's forms are made of it. */
export const describeTypes = () => inject("destinationTypes");
