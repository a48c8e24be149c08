/** What the tests read of the OpenAPI document. */
export interface Operation {
  readonly summary?: string;
  readonly tags?: string[];
  readonly operationId?: string;
  readonly security?: unknown[];
  readonly requestBody?: { content: Record<string, { example?: unknown; schema?: unknown }> };
  readonly responses: Record<
    string,
    { description?: string; content?: Record<string, { schema: object; example?: unknown }> }
  >;
}

export interface ApiDocument {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
}
