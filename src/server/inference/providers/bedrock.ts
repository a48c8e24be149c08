import { failureOfStatus } from "../pipeline/failures.ts";
import { sdkKind } from "./sdk-upstream.ts";

/** `bedrock-runtime.eu-central-1.amazonaws.com` → `eu-central-1`. */
const regionOf = (baseUrl: string): string =>
  /\.([a-z]{2}(?:-[a-z]+)+-\d)\./.exec(baseUrl)?.[1] ?? "us-east-1";

/**
 * A Bedrock API key, or `access key id:secret access key[:session token]`. Nothing is left out, because the package takes
 * what it is not given from the server's environment.
 */
function credentialsOf(credential: string) {
  const [accessKeyId, secretAccessKey, sessionToken = ""] = credential.trim().split(":");
  if (!accessKeyId || secretAccessKey === "") throw failureOfStatus(401);
  if (secretAccessKey === undefined) return { apiKey: accessKeyId };
  return { apiKey: "", credentialProvider: async () => ({ accessKeyId, secretAccessKey, sessionToken }) };
}

/** Amazon Bedrock's Converse API. */
export const bedrock = sdkKind("bedrock", "Amazon Bedrock", async () => {
  const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock");
  return ({ baseURL, apiKey, fetch }) => {
    const at = createAmazonBedrock({ baseURL, fetch, region: regionOf(baseURL), ...credentialsOf(apiKey) });
    return { chat: (model) => at(model), embedding: (model) => at.embedding(model) };
  };
});
