export { actingFor, authenticateKey, credentialOf } from "./authenticate.ts";
export { createCode, exchangeCode, purgeOldCodes } from "./authorization-codes.ts";
export { listConnectedApps, removeConnectedApp } from "./connected-apps.ts";
export { type KeyDirectory, loadKeyDirectory } from "./directory.ts";
export { isKeyOfInstallation, mintKey, publicIdOf } from "./format.ts";
export { type KeyGrant, replaceKey, storeKey } from "./issue.ts";
export {
  createKey,
  describeKey,
  findKeys,
  getKey,
  listKeys,
  nameKeys,
  removeKey,
  updateKey,
} from "./keys.ts";
export { callerOfKey, isPlaygroundKey, playgroundKey } from "./playground-key.ts";
export { recordKeyUse } from "./record-use.ts";
