export { findLost, forgetLost } from "./lost.ts";
export { changeSealingKey, demandSealingKeys } from "./sealing-keys.ts";
