export type { BudgetCounter } from "./budget-counter.ts";
export { BudgetIndex, type BudgetSubject } from "./budget-index.ts";
export { loadBudgetIndex } from "./budget-rows.ts";
export { createBudget, deleteBudget, getBudget, listBudgets, updateBudget } from "./budgets.ts";
export { listCounters } from "./counter-list.ts";
export { forecastBudgets } from "./forecast.ts";
export { previewBudget } from "./preview.ts";
export { type CounterState, nearestHeaders } from "./rate-headers.ts";
export { openUpkeep } from "./upkeep.ts";
