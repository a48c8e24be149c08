export { changeSealingKey, demandSealingKeys } from "./sealing-keys.ts";
export { findUnreadable, purgeUnreadable } from "./unreadable.ts";
