export { assertSealingKeys, changeSealingKey } from "./sealing-keys.ts";
export { findUnreadable, purgeUnreadable } from "./unreadable.ts";
