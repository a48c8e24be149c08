import type { FirstSteps } from "#contract/overview.ts";

/** An organisation that has completed every first step. */
export const completedSteps: FirstSteps = {
  api_key: true,
  first_request: true,
  eu_only: true,
  provider: true,
  destination: true,
  example_model: null,
};
