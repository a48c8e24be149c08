import { legacyCompletion, legacyPiece } from "./legacy-functions.ts";
import { chat, chatPresenter } from "./operation.ts";

/** The older names of the fields for tools. */
const fieldNames = { tools: "functions", tool_choice: "function_call" };

/** Chat for clients that send `functions`: over the same wires, with calls returned as `function_call`. */
export const legacyChat: typeof chat = {
  ...chat,
  fieldNames: () => fieldNames,
  estimate(request) {
    const estimate = chat.estimate(request);
    // The client did not send it, so no endpoint is excluded for it.
    return { ...estimate, parameters: estimate.parameters.filter((name) => name !== "parallel_tool_calls") };
  },
  complete: (...args) => legacyCompletion(chat.complete(...args)),
  present(generation) {
    const presenter = chatPresenter(generation);
    return {
      ...presenter,
      chunk: (chunk) => presenter.chunk({ ...chunk, choices: chunk.choices.map(legacyPiece) }),
    };
  },
};
