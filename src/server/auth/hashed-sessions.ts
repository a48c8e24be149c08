import type { BetterAuthOptions, DBAdapter, DBTransactionAdapter, Where } from "better-auth";
import { waitFor } from "#server/db/index.ts";
import { sha256 } from "#server/platform/crypto.ts";

type MakeAdapter = (options: BetterAuthOptions) => DBAdapter<BetterAuthOptions>;
type Fields = Record<string, unknown>;

const hashed = (token: unknown): unknown => (typeof token === "string" ? sha256(token) : token);
const hashedFields = <T extends Fields>(fields: T): T =>
  "token" in fields ? { ...fields, token: hashed(fields.token) } : fields;
const isToken = ({ field }: Where) => field === "token";

function hashedWhere<T extends Where[] | undefined>(where: T): T {
  return where?.map((condition) => {
    if (!isToken(condition)) return condition;
    const { value } = condition;
    return { ...condition, value: Array.isArray(value) ? value.map(hashed) : hashed(value) };
  }) as T;
}

/** Replaces the stored hash by the plain token of the query, which better-auth continues to use. */
function plainRow<T>(row: T, token: unknown): T {
  return row && typeof token === "string" ? { ...row, token } : row;
}

const tokenIn = (where: Where[] | undefined): unknown => where?.find(isToken)?.value;

function guarded<A extends DBTransactionAdapter<BetterAuthOptions>>(adapter: A): A {
  const own: Partial<DBTransactionAdapter<BetterAuthOptions>> = {
    create: async <T extends Fields, R = T>(query: Parameters<typeof adapter.create<T, R>>[0]) => {
      if (query.model !== "session") return adapter.create<T, R>(query);
      const row = await adapter.create<T, R>({ ...query, data: hashedFields(query.data) });
      return plainRow(row, query.data.token);
    },
    findOne: async <T>(query: Parameters<typeof adapter.findOne<T>>[0]) => {
      if (query.model !== "session") return adapter.findOne<T>(query);
      return plainRow(
        await adapter.findOne<T>({ ...query, where: hashedWhere(query.where) }),
        tokenIn(query.where),
      );
    },
    findMany: <T>(query: Parameters<typeof adapter.findMany<T>>[0]) =>
      adapter.findMany<T>(query.model === "session" ? { ...query, where: hashedWhere(query.where) } : query),
    update: async <T>(query: Parameters<typeof adapter.update<T>>[0]) => {
      if (query.model !== "session") return adapter.update<T>(query);
      const changed = { ...query, where: hashedWhere(query.where), update: hashedFields(query.update) };
      return plainRow(await adapter.update<T>(changed), tokenIn(query.where));
    },
    updateMany: (query) =>
      adapter.updateMany(
        query.model === "session"
          ? { ...query, where: hashedWhere(query.where), update: hashedFields(query.update) }
          : query,
      ),
    delete: <T>(query: Parameters<typeof adapter.delete<T>>[0]) =>
      adapter.delete<T>(query.model === "session" ? { ...query, where: hashedWhere(query.where) } : query),
    deleteMany: (query) =>
      adapter.deleteMany(query.model === "session" ? { ...query, where: hashedWhere(query.where) } : query),
    count: (query) =>
      adapter.count(query.model === "session" ? { ...query, where: hashedWhere(query.where) } : query),
  };
  return { ...adapter, ...own };
}

/**
 * An adapter that stores only the SHA-256 of session tokens, so that nobody can sign in with the contents of the table.
 * Rows found by token contain the plain token again, all others the hash.
 */
export const hashedSessions =
  (make: MakeAdapter): MakeAdapter =>
  (options) => {
    const adapter = make(options);
    return {
      ...guarded(adapter),
      transaction: (work) => waitFor(adapter.transaction((inner) => work(guarded(inner)))),
    };
  };
