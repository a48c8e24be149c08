import { sdkKind } from "./sdk-upstream.ts";

/** `bedrock-runtime.eu-central-1.amazonaws.com` → `eu-central-1`. */
const regionOf = (baseUrl: string): string =>
  /\.([a-z]{2}(?:-[a-z]+)+-\d)\./.exec(baseUrl)?.[1] ?? "us-east-1";

/** A Bedrock API key, or `access key id:secret access key[:session token]`. */
function credentialsOf(credential: string) {
  const [accessKeyId, secretAccessKey, sessionToken] = credential.split(":");
  if (accessKeyId === undefined || secretAccessKey === undefined) return { apiKey: credential };
  return { apiKey: "", accessKeyId, secretAccessKey, sessionToken };
}

/** Amazon Bedrock's Converse API. */
export const bedrock = sdkKind("bedrock", "Amazon Bedrock", async () => {
  const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock");
  return ({ baseURL, apiKey, fetch }) => {
    const at = createAmazonBedrock({ baseURL, fetch, region: regionOf(baseURL), ...credentialsOf(apiKey) });
    return { chat: (model) => at(model), embedding: (model) => at.embedding(model) };
  };
});
