export { type Day, dayOf } from "./day.ts";
export { balanceEur, firstSteps } from "./first-steps.ts";
export { latestGenerations } from "./latest.ts";
