import { prefixedId } from "#server/platform/ids.ts";

const pattern = /^gen-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** The id of a chat completion as clients see it. */
export const completionIdOf = (uuid: string): string => prefixedId("gen", uuid);

/** The row of a chat completion's id; null if the id is not valid. */
export const completionRowId = (id: string): string | null => pattern.exec(id)?.[1] ?? null;
