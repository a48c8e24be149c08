"use client";

import { Input } from "@mantine/core";
import { useEffect, useId, useState } from "react";
import { createPortal } from "react-dom";
import { type Field, isField, pastedProblem, wordsFor } from "./field-words.ts";

/** Where the message of a field is shown: below its label, hint and input. */
const placeOf = (field: Field): Element | null =>
  field.closest(".mantine-InputWrapper-root, .mantine-InlineInput-root") ?? field.parentElement;

const isFirstInvalid = (field: Field) =>
  [...(field.form?.elements ?? [])].find((each) => isField(each) && !each.validity.valid) === field;

/** Whether the form or the field itself already shows what is wrong. */
const hasOwnMessage = (field: Field) => field.getAttribute("aria-invalid") === "true";

/** One message, which the field refers to for screen readers. */
function FieldMessage({ field, text }: { field: Field; text: string }) {
  const id = useId();
  useEffect(() => {
    const described = field.getAttribute("aria-describedby");
    const frame = field.closest(".mantine-Input-wrapper");
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", described ? `${described} ${id}` : id);
    frame?.setAttribute("data-error", "true");
    return () => {
      field.removeAttribute("aria-invalid");
      if (described) field.setAttribute("aria-describedby", described);
      else field.removeAttribute("aria-describedby");
      frame?.removeAttribute("data-error");
    };
  }, [field, id]);
  const place = placeOf(field);
  return (
    place &&
    createPortal(
      <Input.Error id={id} mt={5}>
        {text}
      </Input.Error>,
      place,
    )
  );
}

type Messages = ReadonlyMap<Field, string>;

/** Messages with another one for a field, or without it; fields that are gone lose theirs. */
const withMessage = (before: Messages, field: Field, text: string | null): Messages => {
  const others = [...before].filter(([other]) => other !== field && other.isConnected);
  return new Map(text === null ? others : [...others, [field, text]]);
};

/**
 * Shows what is wrong with a field below it, in the words of this console, in place of the browser's bubbles. It is for
 * all forms of a page; a form with messages of its own has `noValidate`.
 */
export function FieldMessages() {
  const [messages, setMessages] = useState<Messages>(new Map());
  useEffect(() => {
    const show = (field: Field, text: string | null) =>
      setMessages((before) => withMessage(before, field, text));
    const refuse = (event: Event) => {
      if (!isField(event.target)) return;
      // Without its bubble a browser does not move the focus either.
      event.preventDefault();
      if (isFirstInvalid(event.target)) event.target.focus();
      if (!hasOwnMessage(event.target)) show(event.target, wordsFor(event.target));
    };
    const correct = ({ target }: Event) =>
      setMessages((before) =>
        isField(target) && before.has(target) ? withMessage(before, target, wordsFor(target)) : before,
      );
    const paste = (event: ClipboardEvent) => {
      if (!isField(event.target)) return;
      const problem = pastedProblem(event.target, event.clipboardData?.getData("text") ?? "");
      if (!problem) return;
      event.preventDefault();
      show(event.target, problem);
    };
    // The event `invalid` does not bubble.
    document.addEventListener("invalid", refuse, true);
    document.addEventListener("input", correct, true);
    document.addEventListener("change", correct, true);
    document.addEventListener("paste", paste, true);
    return () => {
      document.removeEventListener("invalid", refuse, true);
      document.removeEventListener("input", correct, true);
      document.removeEventListener("change", correct, true);
      document.removeEventListener("paste", paste, true);
    };
  }, []);
  return [...messages].map(([field, text]) => <FieldMessage key={keyOf(field)} field={field} text={text} />);
}

const keys = new WeakMap<Field, number>();
let keysGiven = 0;
/** A key of a field for React: fields of different forms may have the same name. */
function keyOf(field: Field): number {
  const key = keys.get(field) ?? ++keysGiven;
  keys.set(field, key);
  return key;
}
