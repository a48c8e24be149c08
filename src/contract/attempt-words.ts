import type { GenerationDetail } from "#contract/generation.ts";

type Attempt = GenerationDetail["tries"][number];
type Ending = Pick<GenerationDetail, "status" | "error_code">;

/** What an endpoint did, by the outcome of the attempt. */
const words: Readonly<Record<string, string>> = {
  ok: "answered",
  aborted: "was stopped, because the client disconnected",
  blocked: "was not contacted, because its address is not allowed",
  content_policy: "refused the content",
  context_length: "refused the request, which is longer than its context window",
  credential: "refused the credential",
  cut: "broke off its answer",
  internal: "could not be used because of an internal error",
  malformed: "sent an invalid answer",
  model_missing: "does not serve the model",
  over_rate_limit: "refused the request, which has more tokens than its rate limit allows",
  overloaded: "was overloaded",
  quota: "refused the request, because the quota of the credential is used up",
  rate_limited: "refused the request because of its rate limit",
  refused: "could not be reached",
  rejected: "rejected the request",
  server_error: "reported an error",
  timeout: "took too long",
  too_large: "sent an answer that is too large",
  too_slow: "was too slow",
  unrecorded: "was stopped, because the progress could not be recorded",
  unsupported: "does not support the request",
  unsupported_parameter: "does not support a parameter of the request",
};

/** How an answer ended that had begun. */
const endings: Readonly<Record<Ending["status"], (error: string | null) => string>> = {
  completed: () => "answered",
  failed: (error) => `began to answer, then broke off${error === null ? "" : ` (${error})`}`,
  cancelled: () => "answered until the client disconnected",
  interrupted: () => "answered until the server stopped",
};

/** Whether an attempt ended as the client wanted. */
export const isGood = ({ outcome }: Attempt, { status }: Ending): boolean =>
  outcome === "ok" && status !== "failed" && status !== "interrupted";

/** What an endpoint did in an attempt, without its name. Only the last attempt can be one that answered. */
export function attemptText({ outcome, status }: Attempt, ending: Ending): string {
  if (outcome === "ok") return endings[ending.status](ending.error_code);
  const text = Object.hasOwn(words, outcome) ? words[outcome] : outcome.replaceAll("_", " ");
  return `${text}${status === null ? "" : ` (HTTP ${status})`}`;
}

/** The name of the last endpoint's role: whether it served the request, or was only tried. */
export const endpointRole = ({
  status,
  tries,
}: Pick<GenerationDetail, "status" | "tries">): "Served by" | "Partly served by" | "Last tried" => {
  const hasAnswered = tries.at(-1)?.outcome === "ok";
  if (status === "failed") return hasAnswered ? "Partly served by" : "Last tried";
  return status === "cancelled" && !hasAnswered ? "Last tried" : "Served by";
};
