export {
  assertCredentialForm,
  checkStored,
  createCredential,
  credentialSecret,
  getCredential,
  knownProvider,
  listCredentials,
  removeCredential,
  updateCredential,
} from "./credentials.ts";
export { recordCredentialUse } from "./record-use.ts";
export { type CredentialVault, loadCredentialVault, type OwnCredential } from "./vault.ts";
