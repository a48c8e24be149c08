"use client";

import { NumberInput, type NumberInputProps } from "@mantine/core";
import { useEffect, useRef } from "react";
import { boundsText } from "./field-words.ts";

function problemOf({ value, min = -Infinity, max = Infinity }: NumberInputProps): string | null {
  if (value === "" || value === undefined || (Number(value) >= min && Number(value) <= max)) return null;
  const text = (bound: number | bigint) => (Number.isFinite(Number(bound)) ? String(bound) : "");
  return `Enter a number ${boundsText(text(min), text(max))}.`;
}

/** A number. One outside of the bounds is reported at once and never replaced, and its form is not sent. */
export function NumberField(props: NumberInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const problem = problemOf(props);
  useEffect(() => input.current?.setCustomValidity(problem ?? ""), [problem]);
  return <NumberInput {...props} ref={input} error={props.error ?? problem} />;
}
