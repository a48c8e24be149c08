/** An operation of OpenAI's, OpenRouter's or Cohere's API that Portolan does not serve. */
export interface UnservedOperation {
  readonly methods: readonly string[];
  /** Paths below `/api/v1`; a part in braces stands for any value. */
  readonly paths: readonly `/${string}`[];
  /** Why, and what to use instead. A sentence. */
  readonly reason: string;
}

/** What clients of these APIs may call, by reason. The error of these paths and docs/clients.md quote it. */
export const unservedOperations: readonly UnservedOperation[] = [
  {
    methods: ["GET", "POST", "DELETE"],
    paths: [
      "/files",
      "/files/{file_id}",
      "/files/{file_id}/content",
      "/containers/{container_id}/files",
      "/containers/{container_id}/files/{file_id}",
      "/containers/{container_id}/files/{file_id}/content",
      "/containers/{container_id}/files/{file_id}/promote",
    ],
    reason: "Files are not stored. Send their content in the request.",
  },
  {
    methods: ["GET", "POST"],
    paths: ["/images", "/images/models", "/images/models/{author}/{slug}/endpoints"],
    reason:
      "There is no operation for images. Chat models that create images return them from /chat/completions.",
  },
  {
    methods: ["GET", "POST"],
    paths: ["/videos", "/videos/models", "/videos/{job_id}", "/videos/{job_id}/content"],
    reason: "There is no operation for videos.",
  },
  {
    methods: ["POST"],
    paths: ["/audio/speech", "/audio/transcriptions"],
    reason: "There is no operation for speech. Chat models that accept audio take it in /chat/completions.",
  },
  {
    methods: ["POST"],
    paths: ["/chat", "/v2/chat", "/embed", "/v2/embed", "/classify", "/tokenize", "/detokenize"],
    reason: "Of Cohere's API only rerank is served. Use /chat/completions or /embeddings.",
  },
  {
    methods: ["GET", "POST", "PATCH", "DELETE"],
    paths: [
      "/guardrails",
      "/guardrails/assignments/keys",
      "/guardrails/assignments/members",
      "/guardrails/{id}",
      "/guardrails/{id}/assignments/keys",
      "/guardrails/{id}/assignments/keys/remove",
      "/guardrails/{id}/assignments/members",
      "/guardrails/{id}/assignments/members/remove",
    ],
    reason: "Routing rules and the limits of keys and workspaces replace guardrails. Use /routing-rules.",
  },
  {
    methods: ["POST"],
    paths: ["/presets/{slug}/chat/completions", "/presets/{slug}/messages", "/presets/{slug}/responses"],
    reason: "A request cannot be stored as a preset. Create it with its fields: POST /presets.",
  },
  {
    methods: ["GET", "POST", "PATCH", "DELETE"],
    paths: ["/observability/destinations", "/observability/destinations/{id}"],
    reason: "Destinations have other fields here. Use /broadcast-destinations.",
  },
  {
    methods: ["POST"],
    paths: ["/workspaces/{id}/members/add", "/workspaces/{id}/members/remove"],
    reason: "Every member of the organisation belongs to all of its workspaces. Use /members.",
  },
  {
    methods: ["GET", "POST"],
    paths: ["/analytics/meta", "/analytics/query"],
    reason: "There is no query language for usage. Use /activity.",
  },
  {
    methods: ["GET", "POST"],
    paths: ["/generation/content", "/generation/feedback"],
    reason: "Content is stored only with responses, and feedback not at all. Use /responses/{id}.",
  },
  {
    methods: ["GET", "POST"],
    paths: ["/oauth/jwks", "/oauth/token"],
    reason: "Apps get API keys by PKCE. Use /auth/keys.",
  },
  {
    methods: ["GET", "POST", "PATCH", "DELETE"],
    paths: [
      "/scim/group-mappings",
      "/scim/group-mappings/{id}",
      "/scim/groups",
      "/scim/sync-jobs",
      "/scim/sync-jobs/{id}",
    ],
    reason: "There is no provisioning by SCIM. Use /members and sign-in with OpenID Connect.",
  },
  {
    methods: ["GET"],
    paths: [
      "/benchmarks",
      "/classifications/task",
      "/datasets/app-rankings",
      "/datasets/rankings-daily",
      "/datasets/session-cost",
    ],
    reason: "Data about the traffic of many organisations does not exist in an installation of one's own.",
  },
  {
    methods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    paths: [
      "/interns",
      "/interns/{intern_id}",
      "/interns/{intern_id}/chat/completions",
      "/interns/{intern_id}/provision",
      "/interns/{intern_id}/suspend",
      "/vault/interns/{intern_id}/secrets",
      "/vault/interns/{intern_id}/secrets/copy",
      "/vault/interns/{intern_id}/secrets/{name}",
      "/vault/secrets",
      "/vault/secrets/{name}",
      "/systemone",
      "/api/alpha/decisions",
    ],
    reason: "Hosted agents, their secrets and experimental operations of OpenRouter do not exist here.",
  },
];

const compiled = unservedOperations.flatMap(({ methods, paths, reason }) =>
  paths.map((path) => ({
    methods,
    reason,
    path,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  })),
);

/** Why an operation of other APIs is not served, and its declared path; undefined for any other operation. */
export const unservedOperation = (method: string, path: string) =>
  compiled.find((row) => row.methods.includes(method) && row.pattern.test(path));
