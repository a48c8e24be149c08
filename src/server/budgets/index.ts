export type { BudgetCounter } from "./budget-counter.ts";
export { BudgetIndex, type BudgetSubject } from "./budget-index.ts";
export { loadBudgetIndex } from "./budget-rows.ts";
export { createBudget, deleteBudget, getBudget, listBudgets, updateBudget } from "./budgets.ts";
export { forecastBudgets } from "./forecast.ts";
export { type CounterState, nearestHeaders } from "./rate-headers.ts";
export { openUpkeep } from "./upkeep.ts";
