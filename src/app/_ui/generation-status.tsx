import type { GenerationLine } from "#contract/generation.ts";
import { Status, type Tone } from "./status.tsx";

const tones: Record<GenerationLine["status"], Tone> = {
  completed: "good",
  failed: "bad",
  cancelled: "neutral",
  interrupted: "warning",
};

/** How a generation ended, with its error's code. */
export function GenerationStatus({ status, error_code }: Pick<GenerationLine, "status" | "error_code">) {
  return (
    <Status tone={tones[status]} title={error_code ?? undefined}>
      {status}
    </Status>
  );
}
