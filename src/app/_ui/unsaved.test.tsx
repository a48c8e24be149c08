import { fireEvent, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { afterEach, describe, expect, test, vi } from "vitest";
import { renderConsole } from "#test/console/render.tsx";
import { Dialog } from "./dialog.tsx";
import { Form } from "./form.tsx";
import { Sheet } from "./sheet.tsx";
import { question as asked, Unsaved, unsavedPage } from "./unsaved.tsx";
import { UnsavedGuard } from "./unsaved-guard.tsx";

const question = () => screen.findByRole("dialog", { name: "Leave without saving?" });
const noQuestion = () => screen.queryByRole("dialog", { name: "Leave without saving?" });

afterEach(() => vi.restoreAllMocks());

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

  test("a link of the console waits for the answer, and is followed with its query and fragment", async () => {
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

/** A form in a sheet, and perhaps one on the page below it. */
function TwoForms({ sheet, page }: { sheet: boolean; page: boolean }) {
  const [saved, setSaved] = useState(false);
  return (
    <>
      <UnsavedGuard />
      <a href="/keys">Keys</a>
      <Unsaved when={page} />
      {sheet && (
        <Sheet title="Editor" onClose={() => {}}>
          <Unsaved when={!saved} />
          <button type="button" onClick={() => setSaved(true)}>
            Save
          </button>
        </Sheet>
      )}
    </>
  );
}

describe("the question", () => {
  const follow = () =>
    screen
      .getByText("Keys")
      .dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, button: 0 }));

  test("is gone with the page that asked it, and not repeated on the next one", async () => {
    const { unmount } = renderConsole(<TwoForms sheet page={false} />);
    follow();
    await question();
    unmount();
    expect(asked.isAsked()).toBe(false);
    const { visited } = renderConsole(<TwoForms sheet={false} page={false} />);
    expect(noQuestion()).toBeNull();
    expect(follow()).toBe(true);
    expect(visited).toEqual([]);
  });

  test.each([
    ["all changes are saved meanwhile", false, false],
    ["another form still has changes", true, true],
  ])("when %s, the question stays: %s", async (_case, page, stays) => {
    renderConsole(<TwoForms sheet page={page} />);
    follow();
    await question();
    fireEvent.click(screen.getByText("Save"));
    await waitFor(() => expect(noQuestion() !== null).toBe(stays));
  });

  test("about a sheet does not wait for a form that is not in it", async () => {
    const onClose = vi.fn();
    const sheet = (
      <Sheet title="Facts" onClose={onClose}>
        Nothing to edit
      </Sheet>
    );
    const { user } = renderConsole(
      <>
        <UnsavedGuard />
        <Unsaved when />
        {sheet}
      </>,
    );
    await user.click(screen.getByRole("button", { name: "Close" }));
    expect(onClose).toHaveBeenCalledOnce();
    expect(noQuestion()).toBeNull();
  });
});

describe("going back through the history", () => {
  /** The browser goes at once, as `window.history.go` does after a moment. */
  function history() {
    const steps: number[] = [];
    vi.spyOn(window.history, "go").mockImplementation((delta = 0) => {
      steps.push(delta);
      window.dispatchEvent(new PopStateEvent("popstate"));
    });
    const router = vi.fn();
    window.addEventListener("popstate", router);
    return { steps, router, end: () => window.removeEventListener("popstate", router) };
  }
  const back = () => window.dispatchEvent(new PopStateEvent("popstate"));

  test("with unsaved changes is undone unseen by the router, and repeated when they are discarded", async () => {
    const { steps, router, end } = history();
    const { user } = renderConsole(<Editor frame={Dialog} onClosed={() => {}} />);
    await user.type(screen.getByLabelText("Name"), "Argo");
    back();
    await question();
    expect(steps).toEqual([1]);
    expect(router).not.toHaveBeenCalled();
    await user.click(screen.getByRole("button", { name: /Discard/ }));
    expect(steps).toEqual([1, -1]);
    expect(router).toHaveBeenCalledOnce();
    end();
  });

  test("without changes goes on; with changes the person may stay and keeps what was typed", async () => {
    const { steps, router, end } = history();
    const { user } = renderConsole(<Editor frame={Dialog} onClosed={() => {}} />);
    back();
    expect(router).toHaveBeenCalledOnce();
    expect(noQuestion()).toBeNull();
    await user.type(screen.getByLabelText("Name"), "Argo");
    back();
    await question();
    await user.click(screen.getByRole("button", { name: "Keep editing" }));
    expect(steps).toEqual([1]);
    expect(router).toHaveBeenCalledOnce();
    expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("Argo");
    end();
  });
});
