import { Prisma } from "#generated/prisma/client.ts";

/** SQL NULL in a JSON column, which is not the JSON value `null`. */
export const jsonNull = Prisma.DbNull;
