import type { ErasureCounts, SubjectType } from "#contract/data-subjects.ts";

export const subjectLabels: Record<SubjectType, string> = {
  end_user: "End user",
  person: "Person",
  api_key: "API key",
};
export const subjectChoices = Object.entries(subjectLabels).map(([value, label]) => ({ value, label }));
export const isSubjectType = (text: string): text is SubjectType => Object.hasOwn(subjectLabels, text);

/** Whose data it is, as somebody chose it. */
export interface ChosenSubject {
  readonly type: SubjectType;
  readonly value: string;
  /** What people call it. */
  readonly name: string;
}

/** The field of the API that names a subject. */
export function subjectInput({ type, value }: ChosenSubject) {
  if (type === "end_user") return { end_user: value };
  return type === "person" ? { user_id: value } : { api_key_id: value };
}

/** The filter of the data flows that shows where data of a subject went. */
export function flowsPath({ type, value }: ChosenSubject): string {
  const filter = { end_user: "user", person: "person", api_key: "key" }[type];
  return `/evidence?range=90d&${filter}=${encodeURIComponent(value)}`;
}

/** What is counted, in the order in which people read it. */
export const countLabels: Record<keyof ErasureCounts, string> = {
  requests: "Requests",
  personal_records: "Records that name end user, session, app or tags",
  stored_responses: "Stored responses",
  stored_chat_completions: "Stored chat completions",
  conversations: "Conversations",
  conversation_items: "Items of other conversations",
  pending_traces: "Traces that wait for a destination",
  usage_rows: "Rows of usage by end user",
  budget_counters: "Counters of budgets per end user",
  alert_incidents: "Alert incidents that name the end user",
  evidence_packages: "Evidence packages",
};
