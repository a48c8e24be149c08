/** What the server says of its destination types: the console's forms are made of it. */
export { describeTypes } from "#server/destinations/types.ts";
