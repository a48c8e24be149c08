import type { SubjectExport, SubjectExportQuery, SubjectRecord } from "#contract/data-subjects.ts";
import { Prisma } from "#generated/prisma/client.ts";
import { changeRecords } from "#server/audit/change.ts";
import { storedContentOf } from "#server/inference/index.ts";
import { clock, isoTime } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { assertKnown, hashOf, type Subject, subjectOf } from "#server/subjects/index.ts";
import type { Place } from "../place.ts";
import { recipientsOf, triedColumns } from "../tried.ts";
import type { DataOfficer, ErasureDeps } from "./erasures.ts";
import { walk } from "./walk.ts";

const { exportedScannedMax, exportedBytesMax } = limits.erasures;

/** The place of a page in its cursor: `time_id`. */
const cursorOf = ({ startedAt, id }: Place): string => `${startedAt}_${id}`;

function placeOf(cursor: string | undefined): Place | null {
  const [startedAt = "", id = ""] = cursor?.split("_") ?? [];
  return cursor === undefined ? null : { startedAt, id };
}

interface RecordRow extends Omit<SubjectRecord, "content" | "started_at"> {
  readonly started_at: Date;
  readonly sealed_bytes: number;
}

const recordsOf = ({ database }: ErasureDeps, orgId: string, ids: readonly string[]): Promise<RecordRow[]> =>
  database.prisma.$queryRaw<RecordRow[]>`
    with page as (
      select id, started_at, operation, model, model_requested, status, api_key_id, user_id, user_reference, session_id,
        request_id, app_title, tags, ${triedColumns},
        coalesce((select octet_length(content) from stored_response as stored where stored.id = generation.id),
          (select octet_length(messages) + octet_length(completion) from stored_completion as stored
            where stored.id = generation.id), 0) as sealed_bytes
      from generation where org_id = ${orgId}::uuid and id = any(${[...ids]}::uuid[])
    )
    select id, started_at, operation, coalesce(model, model_requested) as model, status, api_key_id, user_id,
      user_reference as end_user, session_id, request_id, app_title, tags, sealed_bytes, sealed_bytes > 0 as is_stored,
      ${recipientsOf(Prisma.sql`page`)} as recipients
    from page order by started_at desc, id asc`;

/** As many records as may be held at once, at least one. */
function withinBytes(rows: readonly RecordRow[]): readonly RecordRow[] {
  let bytes = 0;
  const end = rows.findIndex(({ sealed_bytes }, at) => {
    bytes += sealed_bytes;
    return at > 0 && bytes > exportedBytesMax;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

async function pageOf(
  deps: ErasureDeps,
  orgId: string,
  subject: Subject,
  { after, limit }: Pick<SubjectExportQuery, "after" | "limit">,
): Promise<SubjectExport> {
  const until = isoTime(clock.nowMs() + 1);
  const scannedMax = exportedScannedMax;
  const step = await walk(deps.database, { orgId, subject, until, place: placeOf(after), scannedMax });
  const rows = withinBytes(await recordsOf(deps, orgId, step.ids.slice(0, limit)));
  const data: SubjectRecord[] = [];
  for (const { sealed_bytes: bytes, started_at, ...row } of rows)
    data.push({
      ...row,
      started_at: started_at.toISOString(),
      content: bytes === 0 ? null : await storedContentOf(deps, orgId, row.id),
    });
  const last = data.at(-1);
  const isCut = last !== undefined && rows.length < step.ids.length;
  const next = isCut ? { startedAt: last.started_at, id: last.id } : step.next;
  return { data, next: next && cursorOf(next) };
}

/**
 * Exports what is stored about a subject, page by page, newest first: records of requests, and prompts and answers that
 * were stored. The first page is recorded in the audit log. Throws NOT_FOUND for an unknown person or key.
 */
export async function exportSubject(
  deps: ErasureDeps,
  caller: DataOfficer,
  { after: cursor, limit, ...named }: SubjectExportQuery,
): Promise<SubjectExport> {
  const subject = subjectOf(named);
  if (!subject) throw new AppError("BAD_REQUEST", "end_user: is required", { param: "end_user" });
  const { orgId } = caller;
  await assertKnown(deps.database, orgId, subject);
  const page = await pageOf(deps, orgId, subject, { after: cursor, limit });
  if (cursor !== undefined) return page;
  return changeRecords(deps.database, caller, "data_subject.export", async () => {
    const subject_hash = hashOf(deps.subjectSeal, orgId, subject);
    const after = { subject_type: subject.type, subject_hash };
    return { result: page, audit: { id: orgId, type: "organisation", after } };
  });
}
