export { createCode, exchangeCode } from "./authorization-codes.ts";
export { type KeyDirectory, loadKeyDirectory } from "./directory.ts";
export { mintKey } from "./format.ts";
export { type KeyGrant, storeKey } from "./issue.ts";
export { createKey, describeKey, getKey, listKeys, removeKey, updateKey } from "./keys.ts";
export { actingFor, presentedKey, recogniseKey } from "./recognise.ts";
