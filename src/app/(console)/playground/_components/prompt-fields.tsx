import { Textarea } from "@mantine/core";
import type { KeyboardEventHandler } from "react";
import { type Draft, type Operation, operations } from "./draft.ts";
import { History } from "./history.tsx";
import { ImagesField } from "./images-field.tsx";
import type { ChangeDraft } from "./use-draft.ts";

interface PromptFieldsProps {
  readonly draft: Draft;
  readonly change: ChangeDraft;
  readonly onKeyDown: KeyboardEventHandler;
}

interface InputTexts {
  readonly label: string;
  readonly placeholder: string;
}

const greeting = "Say hello from the sea";
const inputTexts: Record<Operation, InputTexts> = {
  chat: { label: "Message", placeholder: greeting },
  responses: { label: "Message", placeholder: greeting },
  completions: { label: "Prompt", placeholder: greeting },
  rerank: { label: "Query", placeholder: "Search query" },
};

/** The texts of the request. */
export function PromptFields({ draft, change, onKeyDown }: PromptFieldsProps) {
  const { multiTurn, parts } = operations[draft.operation];
  return (
    <>
      {multiTurn && (
        <Textarea
          label="System"
          placeholder="How the model should behave"
          autosize
          minRows={1}
          maxRows={6}
          value={draft.system}
          onChange={({ currentTarget }) => change({ system: currentTarget.value })}
        />
      )}
      {multiTurn && draft.history.length > 0 && (
        <History history={draft.history} onRemove={() => change({ history: [] })} />
      )}
      <Textarea
        {...inputTexts[draft.operation]}
        autosize
        minRows={4}
        maxRows={16}
        value={draft.input}
        onChange={({ currentTarget }) => change({ input: currentTarget.value })}
        onKeyDown={onKeyDown}
      />
      {parts && <ImagesField images={draft.images} onChange={(images) => change({ images })} />}
      {draft.operation === "rerank" && (
        <Textarea
          label="Documents, one per line"
          autosize
          minRows={4}
          maxRows={16}
          value={draft.documents}
          onChange={({ currentTarget }) => change({ documents: currentTarget.value })}
          onKeyDown={onKeyDown}
        />
      )}
    </>
  );
}
