export { changeSealingKey, demandSealingKeys } from "./sealing-keys.ts";
