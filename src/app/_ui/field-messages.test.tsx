import { TextInput } from "@mantine/core";
import { fireEvent, screen } from "@testing-library/react";
import { useState } from "react";
import { expect, test } from "vitest";
import { renderConsole } from "#test/console/render.tsx";
import { FieldMessages } from "./field-messages.tsx";
import { NumberField } from "./number-field.tsx";

/** Tells a field that its form was refused, as a browser does; answers whether the browser's bubble is suppressed. */
const refuse = (field: HTMLElement) =>
  !fireEvent(field, new Event("invalid", { cancelable: true, bubbles: false }));

function Fields() {
  const [count, setCount] = useState<number | string>(5);
  return (
    <form method="post">
      <FieldMessages />
      <TextInput label="Name" withAsterisk={false} required maxLength={10} description="Who uses it" />
      <TextInput label="E-mail" type="email" required withAsterisk={false} />
      <NumberField label="Order" min={1} max={9} value={count} onChange={setCount} />
    </form>
  );
}

test("a refused field has a message in our words instead of a bubble, and the focus", () => {
  renderConsole(<Fields />);
  const name = screen.getByLabelText("Name");
  expect(refuse(name)).toBe(true);
  expect(screen.getByText("Required.")).toBeDefined();
  expect(document.activeElement).toBe(name);
  expect(name.getAttribute("aria-invalid")).toBe("true");
  const described = (name.getAttribute("aria-describedby") ?? "").split(" ");
  expect(described.map((id) => document.getElementById(id)?.textContent)).toContain("Required.");
});

test("only the first of several refused fields gets the focus, each has a message", () => {
  renderConsole(<Fields />);
  refuse(screen.getByLabelText("Name"));
  refuse(screen.getByLabelText("E-mail"));
  expect(screen.getAllByText("Required.")).toHaveLength(2);
  expect(document.activeElement).toBe(screen.getByLabelText("Name"));
});

test("a message follows what is typed, and goes when the field is valid", async () => {
  const { user } = renderConsole(<Fields />);
  const email = screen.getByLabelText("E-mail");
  refuse(email);
  await user.type(email, "ada");
  expect(screen.getByText(/^Enter an e-mail address such as/)).toBeDefined();
  await user.type(email, "@example.eu");
  expect(screen.queryByText(/^Enter an e-mail address/)).toBeNull();
  expect(email.getAttribute("aria-invalid")).toBeNull();
  expect(email.getAttribute("aria-describedby")).toBeNull();
});

test("a pasted text that is too long is not shortened but refused, with both lengths", async () => {
  const { user } = renderConsole(<Fields />);
  const name = screen.getByLabelText<HTMLInputElement>("Name");
  await user.type(name, "ab");
  await user.paste("123456789");
  expect(name.value).toBe("ab");
  expect(
    screen.getByText("Not pasted: the text would have 11 characters, and at most 10 are valid."),
  ).toBeDefined();
  await user.paste("12345678");
  expect(name.value).toBe("ab12345678");
  expect(screen.queryByText(/^Not pasted/)).toBeNull();
});

test("a number out of bounds is reported at once, not replaced, and refuses its form", async () => {
  const { user } = renderConsole(<Fields />);
  const order = screen.getByLabelText<HTMLInputElement>("Order");
  expect(order.validity.valid).toBe(true);
  await user.type(order, "0");
  await user.tab();
  expect(order.value).toBe("50");
  expect(screen.getByText("Enter a number from 1 to 9.")).toBeDefined();
  expect(order.checkValidity()).toBe(false);
  refuse(order);
  expect(screen.getAllByText("Enter a number from 1 to 9.")).toHaveLength(1);
});
