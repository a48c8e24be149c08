import type { Database } from "#server/db/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { deliveryDeps } from "#test/destinations/delivering.ts";
import { samplePayload } from "#test/destinations/sample.ts";
import { generationRow, type TestOrganisation } from "#test/factories.ts";

/** Stores a backlog for a destination as a flush would, the oldest first. */
export async function seedBacklog(database: Database, ours: TestOrganisation, id: string, count: number) {
  const { sealer } = deliveryDeps(database);
  const failed = generationRow(ours, "0", { status: "failed" });
  for (let at = 0; at < count; at += 5_000) {
    const rows = Array.from({ length: Math.min(5_000, count - at) }, () => {
      const [deliveryId, generationId] = [uuidv7(), uuidv7()];
      const place = {
        table: "destination_delivery",
        column: "payload",
        rowId: `${generationId}:sent`,
        orgId: ours.orgId,
      };
      return {
        id: deliveryId,
        generation_id: generationId,
        payload: sealer.seal(JSON.stringify(samplePayload), place),
      };
    });
    const given = JSON.stringify(rows);
    await database.batch(async (client) => {
      await client.query(
        `insert into generation select made.* from json_to_recordset($1::json) as given (generation_id uuid),
           jsonb_populate_record(null::generation, $2::jsonb || jsonb_build_object('id', generation_id)) as made`,
        [given, JSON.stringify(failed)],
      );
      await client.query(
        `insert into destination_delivery (id, destination_id, generation_id, status, content, payload, due_at)
         select id, $2, generation_id, 'pending', 'sent', payload, now()
         from json_to_recordset($1::json) as given (id uuid, generation_id uuid, payload text)`,
        [given, id],
      );
    });
  }
}
