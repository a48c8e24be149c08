// Without zod, because the console's list of budgets loads it.

/** What distinguishes requests. The client chooses the end user, so it comes last. */
export const budgetDimensions = ["workspace", "key", "person", "model", "end_user"] as const;
