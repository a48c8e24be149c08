import { sha256 } from "./crypto.ts";

const checkOf = (uuid: string): string => Buffer.from(sha256(uuid), "base64url").toString("hex", 0, 8);

/** The id that clients see: a prefix and 48 hexadecimal digits, those of the UUID and a checksum. */
export const checkedId = (prefix: string, uuid: string): string =>
  `${prefix}_${uuid.replaceAll("-", "")}${checkOf(uuid)}`;

/** The UUID of such an id; null if the id is not valid or has another prefix. */
export function uuidOfChecked(prefix: string, id: string): string | null {
  if (!id.startsWith(`${prefix}_`)) return null;
  const hex = /^([0-9a-f]{32})([0-9a-f]{16})$/.exec(id.slice(prefix.length + 1));
  if (!hex?.[1]) return null;
  const uuid = hex[1].replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return checkOf(uuid) === hex[2] ? uuid : null;
}
