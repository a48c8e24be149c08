import { z } from "zod";

/** How hard a model should think before it answers. */
export const ReasoningEffort = z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);
