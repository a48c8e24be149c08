export { type KeyDirectory, loadKeyDirectory } from "./directory.ts";
export { mintKey } from "./format.ts";
export { type KeyGrant, storeKey } from "./issue.ts";
export { presentedKey, recogniseKey } from "./recognise.ts";
