import { Prisma } from "#generated/prisma/client.ts";

/** True when a write was refused because a unique value is there already. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002";
