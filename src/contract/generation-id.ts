const plainId = /^(?:[a-z]+-)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
const responseId = /^resp_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})[0-9a-f]{16}$/i;

/** The UUID of a generation in any of the ids that answers carry; undefined in anything else. */
export const generationIdOf = (text: string): string | undefined =>
  plainId.exec(text)?.[1] ?? responseId.exec(text)?.slice(1).join("-");
