/** What a person can type into or choose from. */
export type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export const isField = (target: unknown): target is Field =>
  target instanceof HTMLInputElement ||
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement;

const formats: Readonly<Record<string, string>> = {
  email: "Enter an e-mail address such as ada@example.eu.",
  url: "Enter a URL such as https://example.eu.",
  date: "Enter a complete date.",
  "datetime-local": "Enter a complete date and time.",
  number: "Enter a number.",
};

/** The bounds of a number: "from 1 to 100", "of at least 1", "of at most 100". */
export function boundsText(min: string | number, max: string | number): string {
  if (min !== "" && max !== "") return `from ${min} to ${max}`;
  return min === "" ? `of at most ${max}` : `of at least ${min}`;
}

const lengthOf = (field: Field, bound: "minLength" | "maxLength") =>
  field instanceof HTMLSelectElement ? -1 : field[bound];

/** What a field lacks, in a sentence; null when it is valid. Browsers have their own words in their own language. */
export function wordsFor(field: Field): string | null {
  const { validity, type } = field;
  const { min, max, title } =
    field instanceof HTMLInputElement ? field : { min: "", max: "", title: field.title };
  if (validity.valid) return null;
  if (validity.customError) return field.validationMessage;
  if (validity.badInput || validity.typeMismatch) return formats[type] ?? "Enter a valid value.";
  if (validity.valueMissing) return type === "checkbox" ? "Check this box to continue." : "Required.";
  if (validity.tooShort) return `Enter at least ${lengthOf(field, "minLength")} characters.`;
  if (validity.tooLong) return `Enter at most ${lengthOf(field, "maxLength")} characters.`;
  if (validity.rangeUnderflow || validity.rangeOverflow)
    return type === "number"
      ? `Enter a number ${boundsText(min, max)}.`
      : max === ""
        ? `Enter a date from ${min} on.`
        : `Enter a date up to ${max}.`;
  if (validity.stepMismatch) return "Enter a whole number.";
  return title ? `${title}.` : "Enter a valid value.";
}

/** What is wrong with a pasted text that a field would shorten without a word; null when it fits. */
export function pastedProblem(field: Field, pasted: string): string | null {
  const maxLength = lengthOf(field, "maxLength");
  if (maxLength < 0 || field instanceof HTMLSelectElement) return null;
  const replaced = (field.selectionEnd ?? 0) - (field.selectionStart ?? 0);
  const length = field.value.length - replaced + pasted.length;
  return length > maxLength
    ? `Not pasted: the text would have ${length} characters, and at most ${maxLength} are valid.`
    : null;
}
