import { malformed } from "#server/inference/pipeline/failures.ts";
import type { Chunk, Reader } from "#server/inference/pipeline/operation.ts";
import { isJson, type Json } from "./json.ts";

/** The reader of an operation that never streams. */
export const completeOnly = <C extends Chunk>(read: (answer: Json) => C): Reader<C> => {
  const notStreamed = () => malformed("it is streamed where one answer was asked for", 200);
  return {
    answer(value) {
      if (!isJson(value)) throw malformed("it is no object", 200);
      return read(value);
    },
    event() {
      throw notStreamed();
    },
    finished: () => false,
    end() {
      throw notStreamed();
    },
  };
};
