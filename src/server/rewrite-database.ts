// npm run database:rewrite: removes from the database's files what was deleted or erased.
import { rewriteTables } from "#server/db/index.ts";
import { offline } from "./offline.ts";

await offline(async (database, { DATABASE_URL }) => {
  const isEmbedded = DATABASE_URL === undefined;
  await rewriteTables(database, isEmbedded);
  process.stdout.write(
    isEmbedded
      ? "All tables are rewritten. The files of the database have nothing of deleted rows.\n"
      : "All tables are rewritten. The write-ahead log of PostgreSQL, replicas and backups can still have deleted rows.\n",
  );
  return 0;
});
