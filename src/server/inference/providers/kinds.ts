// Every kind of provider: one file and one line here. docs/guides/add-a-provider.md says how to add one.
export { anthropic } from "./anthropic.ts";
export { azure } from "./azure.ts";
export { bedrock } from "./bedrock.ts";
export { cohere } from "./cohere.ts";
export { google } from "./google.ts";
export { jina } from "./jina.ts";
export { mistral } from "./mistral.ts";
export { openAiCompatible } from "./openai-compatible.ts";
export { tei } from "./tei.ts";
export { voyage } from "./voyage.ts";
