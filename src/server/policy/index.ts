export { choose, type Decision, type Exclusion, type Question, type Strategy } from "./choose.ts";
export { createRouter, type Router } from "./router.ts";
