import { screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { afterEach, describe, expect, test, vi } from "vitest";
import { renderConsole } from "#test/console/render.tsx";
import { Dialog } from "./dialog.tsx";
import { Form } from "./form.tsx";
import { Sheet } from "./sheet.tsx";
import { question as asked, unsavedPage } from "./unsaved.tsx";
import { UnsavedGuard } from "./unsaved-guard.tsx";

const question = () => screen.findByRole("dialog", { name: "Leave without saving?" });
const noQuestion = () => screen.queryByRole("dialog", { name: "Leave without saving?" });

// What was asked and not answered outlives the page it was asked on.
afterEach(() => asked.stay());

interface EditorProps {
  readonly frame: typeof Dialog | typeof Sheet;
  readonly onClosed: () => void;
}

/** A form in a dialog or a sheet, beside a link elsewhere. */
function Editor({ frame: Frame, onClosed }: EditorProps) {
  const [open, setOpen] = useState(true);
  const [saved, setSaved] = useState(0);
  return (
    <main>
      <UnsavedGuard />
      <a href="/keys?x=1#y">Keys</a>
      <a href="https://elsewhere.example/">Elsewhere</a>
      <a href="/keys" target="_blank" rel="noopener">
        New tab
      </a>
      {open && (
        <Frame
          title="Editor"
          onClose={() => {
            setOpen(false);
            onClosed();
          }}
        >
          <Form onSubmit={() => setSaved(saved + 1)} saved={saved}>
            <input aria-label="Name" name="name" />
            <button type="submit">Save</button>
          </Form>
        </Frame>
      )}
    </main>
  );
}

describe.each([
  ["dialog", Dialog],
  ["sheet", Sheet],
] as const)("a form in a %s", (_name, frame) => {
  const start = () => {
    const onClosed = vi.fn();
    return { onClosed, ...renderConsole(<Editor frame={frame} onClosed={onClosed} />) };
  };
  const close = () => screen.getAllByRole("button", { name: "Close" })[0] ?? document.body;

  test("that nobody typed in is closed without a question", async () => {
    const { user, onClosed } = start();
    await user.click(close());
    expect(onClosed).toHaveBeenCalledOnce();
    expect(noQuestion()).toBeNull();
  });

  test("with something typed asks; staying keeps what was typed, leaving closes it", async () => {
    const { user, onClosed } = start();
    await user.type(screen.getByLabelText("Name"), "Argo");
    await user.click(close());
    await question();
    expect(onClosed).not.toHaveBeenCalled();
    await user.click(screen.getByRole("button", { name: "Keep editing" }));
    await waitFor(() => expect(noQuestion()).toBeNull());
    expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("Argo");
    await user.click(close());
    await question();
    await user.click(screen.getByRole("button", { name: /Discard/ }));
    await waitFor(() => expect(onClosed).toHaveBeenCalledOnce());
  });

  test("asks on Escape too", async () => {
    const { user, onClosed } = start();
    await user.type(screen.getByLabelText("Name"), "Argo");
    await user.keyboard("{Escape}");
    await question();
    expect(onClosed).not.toHaveBeenCalled();
  });

  test("once it is saved nothing is unsaved any more", async () => {
    const { user, onClosed } = start();
    await user.type(screen.getByLabelText("Name"), "Argo");
    expect(unsavedPage.isEdited()).toBe(true);
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect(unsavedPage.isEdited()).toBe(false);
    await user.click(close());
    expect(onClosed).toHaveBeenCalledOnce();
  });
});

describe("the ways out of a page with unsaved changes", () => {
  async function edited() {
    const made = renderConsole(<Editor frame={Dialog} onClosed={() => {}} />);
    await made.user.type(screen.getByLabelText("Name"), "Argo");
    return made;
  }
  const click = (name: string, init: MouseEventInit = {}) =>
    screen
      .getByText(name)
      .dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, button: 0, ...init }));

  test("a link of the console waits for the answer, and is followed to its whole address", async () => {
    const { user, visited } = await edited();
    expect(click("Keys")).toBe(false);
    await question();
    expect(visited).toEqual([]);
    await user.click(screen.getByRole("button", { name: /Discard/ }));
    await waitFor(() => expect(visited).toEqual(["/keys?x=1#y"]));
  });

  test.each([
    ["a new tab", "New tab", {}],
    ["another site, which the browser asks about", "Elsewhere", {}],
    ["a new tab by the control key", "Keys", { ctrlKey: true }],
    ["a new window by the shift key", "Keys", { shiftKey: true }],
  ])("%s loses nothing, so nothing is asked", async (_what, name, init) => {
    await edited();
    const stop = (event: Event) => event.preventDefault();
    document.addEventListener("click", stop);
    click(name, init);
    document.removeEventListener("click", stop);
    expect(noQuestion()).toBeNull();
  });

  test("closing the tab is asked about by the browser, only while something is unsaved", async () => {
    const unload = () => window.dispatchEvent(new Event("beforeunload", { cancelable: true }));
    const { unmount } = await edited();
    expect(unload()).toBe(false);
    unmount();
    renderConsole(<Editor frame={Dialog} onClosed={() => {}} />);
    expect(unload()).toBe(true);
  });
});
