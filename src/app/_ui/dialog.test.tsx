import { Button, TextInput } from "@mantine/core";
import { screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { renderConsole } from "#test/console/render.tsx";
import { Dialog } from "./dialog.tsx";

const name = <TextInput key="name" label="Name" />;
const others = [<TextInput key="other" label="Other" data-autofocus />, <Button key="save">Save</Button>];

test.each<[string, ReactNode, string]>([
  ["its first field", name, "Name"],
  ["the element it asks for", [name, ...others], "Other"],
  ["the button that closes it, without a field", <p key="text">Text</p>, "Close"],
])("a dialog opens with the focus on %s", async (_, children, label) => {
  renderConsole(
    <Dialog title="Some" onClose={() => {}}>
      {children}
    </Dialog>,
  );
  const focused = await screen.findByLabelText(label);
  await waitFor(() => expect(document.activeElement).toBe(focused));
});
