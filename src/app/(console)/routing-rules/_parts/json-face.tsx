"use client";

import { Alert, Textarea } from "@mantine/core";
import { useState } from "react";
import { RoutingRuleCreate, scopeOf } from "#contract/routing-rule.ts";
import { createOf, type Draft, modelsOf } from "./draft.ts";

interface JsonFaceProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

function read(text: string): { draft: Draft } | { complaint: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { complaint: "This is no JSON yet." };
  }
  const parsed = RoutingRuleCreate.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { complaint: `${issue?.path.join(".") || "The rule"}: ${issue?.message}` };
  }
  const { data } = parsed;
  return {
    draft: {
      name: data.name,
      description: data.description ?? "",
      scope: scopeOf(data),
      workspace_id: data.workspace_id ?? null,
      api_key_id: data.api_key_id ?? null,
      models: modelsOf({ model: data.model ?? null, models: data.models ?? null }),
      provider: data.provider ?? {},
      enabled: data.enabled,
      auto_apply: data.auto_apply,
    },
  };
}

/** The rule as the API takes it. The form and the dry run follow as soon as it can be read. */
export function JsonFace({ draft, onChange }: JsonFaceProps) {
  const [text, setText] = useState(() => JSON.stringify(createOf(draft), null, 2));
  const seen = read(text);
  return (
    <>
      <Textarea
        label="The rule as JSON"
        autosize
        minRows={16}
        spellCheck={false}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 13 } }}
        value={text}
        onChange={({ currentTarget: { value } }) => {
          setText(value);
          const next = read(value);
          if ("draft" in next) onChange(next.draft);
        }}
      />
      {"complaint" in seen && (
        <Alert color="orange" variant="light" role="alert" c="var(--mantine-color-text)">
          {seen.complaint}
        </Alert>
      )}
    </>
  );
}
