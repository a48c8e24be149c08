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
])("a dialog opens with the focus on %s", async (_, children, label) => {
  renderConsole(
    <Dialog title="Some" onClose={() => {}}>
      {children}
    </Dialog>,
  );
  const focused = await screen.findByLabelText(label);
  await waitFor(() => expect(document.activeElement).toBe(focused));
});

test("a dialog without a field opens with the focus on its title, so that Enter does not close it", async () => {
  renderConsole(
    <Dialog title="Some" onClose={() => {}}>
      <p>Text</p>
    </Dialog>,
  );
  const title = await screen.findByRole("heading", { name: "Some" });
  await waitFor(() => expect(document.activeElement).toBe(title));
});
