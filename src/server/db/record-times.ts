import { Prisma, type PrismaClient } from "#generated/prisma/client.ts";
import { clock, dateAt } from "#server/platform/clock.ts";

type Row = Record<string, unknown>;

const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null;

/** The fields of a model, which show whether it records times. */
const fieldsOf = (prisma: PrismaClient, model: string): object => {
  const delegate: unknown = Reflect.get(prisma, model);
  return isRow(delegate) && isRow(delegate.fields) ? delegate.fields : {};
};

/**
 * Prisma fills `created_at` and `updated_at` from the machine's clock. This extension uses `clock` instead, which has
 * the database's time, wherever a write does not set them.
 */
export function withRecordTimes(prisma: PrismaClient): PrismaClient {
  const timed = Prisma.defineExtension({
    query: {
      $allModels: {
        $allOperations({ model, operation, args, query }) {
          const fields = fieldsOf(prisma, model);
          const now = dateAt(clock.nowMs());
          const stamps = (names: readonly string[]) =>
            Object.fromEntries(names.filter((name) => name in fields).map((name) => [name, now]));
          const [made, changed] = [stamps(["created_at", "updated_at"]), stamps(["updated_at"])];
          const given: Row = { ...args };
          const under = (name: string, times: Row) => {
            const rows = given[name];
            if (Array.isArray(rows)) given[name] = rows.map((row: Row) => ({ ...times, ...row }));
            else if (isRow(rows)) given[name] = { ...times, ...rows };
          };
          if (/^create/.test(operation)) under("data", made);
          if (/^update/.test(operation)) under("data", changed);
          if (operation === "upsert") {
            under("create", made);
            under("update", changed);
          }
          return query(given as typeof args);
        },
      },
    },
  });
  // An extension of queries alone changes no types.
  return prisma.$extends(timed) as unknown as PrismaClient;
}
