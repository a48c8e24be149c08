import { Prisma } from "#generated/prisma/client.ts";

/** No value at all in a JSON column, which is not the JSON value `null`. */
export const jsonNull = Prisma.DbNull;
