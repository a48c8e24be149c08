import { TextInput } from "@mantine/core";
import { screen } from "@testing-library/react";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { renderConsole } from "#test/console/render.tsx";
import { useFieldErrors } from "./use-field-errors.ts";

function Form({ onSend }: { onSend: () => void }) {
  const [name, setName] = useState("");
  const [limit, setLimit] = useState("");
  const { errors, accepts } = useFieldErrors({
    name: name === "" ? "must not be empty" : undefined,
    limit: limit === "" ? "must be an amount" : undefined,
  });
  return (
    <form
      onSubmit={(event) => {
        if (accepts(event)) onSend();
      }}
    >
      <TextInput label="Note" />
      <TextInput
        label="Name"
        error={errors.name}
        value={name}
        onChange={(e) => setName(e.currentTarget.value)}
      />
      <TextInput
        label="Limit"
        error={errors.limit}
        value={limit}
        onChange={(e) => setLimit(e.currentTarget.value)}
      />
      <button type="submit">Send</button>
    </form>
  );
}

test("a wrong field is named when the form is sent, has the focus, and is right as soon as it is corrected", async () => {
  const onSend = vi.fn();
  const { user } = renderConsole(<Form onSend={onSend} />);
  expect(screen.queryByText("Must not be empty")).toBeNull();
  await user.click(screen.getByRole("button", { name: "Send" }));
  expect(screen.getByText("Must not be empty")).toBeDefined();
  expect(screen.getByText("Must be an amount")).toBeDefined();
  expect(document.activeElement).toBe(screen.getByLabelText("Name"));
  await user.type(screen.getByLabelText("Name"), "a");
  expect(screen.queryByText("Must not be empty")).toBeNull();
  await user.click(screen.getByRole("button", { name: "Send" }));
  expect(document.activeElement).toBe(screen.getByLabelText("Limit"));
  expect(onSend).not.toHaveBeenCalled();
  await user.type(screen.getByLabelText("Limit"), "5");
  await user.click(screen.getByRole("button", { name: "Send" }));
  expect(onSend).toHaveBeenCalledOnce();
});
