import { screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { renderConsole } from "#test/console/render.tsx";
import { contentsOf } from "../_content/contents.ts";
import { parseDocument } from "../_content/documents.ts";
import { DocumentScreen } from "./document-screen.tsx";
import { DocumentationScreen } from "./documentation-screen.tsx";

const index = parseDocument(
  "docs/README.md",
  "/docs",
  "# Documentation\n\n## Start\n\n| Document | Contents |\n| --- | --- |\n| [First request](guides/first.md) | start `it` |\n| [Second](guides/second.md) | go on |\n",
);
const groups = contentsOf(index);
const text = [
  "# First request",
  "Text with `a < b`, **bold** and [a link](second.md#more), [out](https://example.eu), <b>no markup</b>.",
  "## Send it",
  "```sh\ncurl http://127.0.0.1:3000/api/v1/models\n```",
  "## A table",
  "| Name | Meaning |\n| --- | ---: |\n| `x` | 1 |",
  "1. one\n2. two",
].join("\n\n");

beforeEach(() => {
  const openapi = {
    info: { title: "t", version: "1" },
    paths: { "/keys": { get: { operationId: "listKeys", summary: "List API keys", tags: ["Keys"] } } },
  };
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify(openapi)));
});
afterEach(() => void vi.unstubAllGlobals());

describe("the start of the documentation", () => {
  test("lists the guides by group, with what each contains", () => {
    renderConsole(<DocumentationScreen groups={groups} query="" findings={[]} />, { pathname: "/docs" });
    const start = within(screen.getByRole("region", { name: "Start" }));
    expect(start.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual([
      "/docs/guides/first",
      "/docs/guides/second",
    ]);
    expect(start.getByText("start it")).toBeDefined();
  });

  test("shows what a search found, and operations of the API", async () => {
    const findings = [
      { title: "First request", heading: "Send it", href: "/docs/guides/first#send-it", excerpt: "…" },
    ];
    renderConsole(<DocumentationScreen groups={groups} query="keys" findings={findings} />);
    expect(screen.getByRole("status").textContent).toBe("1 place, best first");
    expect(screen.getByRole("link", { name: "First request: Send it" })).toBeDefined();
    const operation = await screen.findByRole("link", { name: "List API keys" });
    expect(operation.getAttribute("href")).toBe("/docs/reference#listKeys");
  });

  test("says that nothing was found", () => {
    renderConsole(<DocumentationScreen groups={groups} query="xyzzy" findings={[]} />);
    expect(screen.getByRole("status").textContent).toBe("No page has all words of “xyzzy”.");
  });
});

describe("a document", () => {
  const show = () =>
    renderConsole(
      <DocumentScreen
        document={parseDocument("docs/guides/first.md", "/docs/guides/first", text)}
        groups={groups}
      />,
    );

  test("is drawn with its texts as text and its links to pages and sites", () => {
    show();
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("First request");
    expect(screen.getByText("a < b").tagName).toBe("CODE");
    expect(screen.getByText("bold").tagName).toBe("STRONG");
    expect(screen.getByText(/<b>no markup<\/b>/)).toBeDefined();
    expect(screen.getByRole("link", { name: "a link" }).getAttribute("href")).toBe(
      "/docs/guides/second#more",
    );
    expect(screen.getByRole("link", { name: "out" }).getAttribute("rel")).toBe("noreferrer");
    expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent)).toContain("two");
  });

  test("has code with the address of this server and a button to copy it", async () => {
    const { user } = show();
    const code = await screen.findByText("curl http://console.test/api/v1/models");
    expect(code).toBeDefined();
    const write = vi.spyOn(navigator.clipboard, "writeText");
    await user.click(screen.getByRole("button", { name: "Copy sh example" }));
    expect(write).toHaveBeenCalledWith("curl http://console.test/api/v1/models");
  });

  test("has its headings as anchors, and says what is on the page and what comes next", () => {
    show();
    expect(screen.getByRole("heading", { name: "Send it" }).id).toBe("send-it");
    const contents = within(screen.getByRole("navigation", { name: "On this page" }));
    expect(contents.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual([
      "#send-it",
      "#a-table",
    ]);
    expect(screen.getByRole("link", { name: "Second →" }).getAttribute("href")).toBe("/docs/guides/second");
    expect(screen.queryByText(/^←/)).toBeNull();
  });

  test("has tables that scroll by keyboard", () => {
    show();
    const table = screen.getByRole("region", { name: "Table of Name" });
    expect(table.tabIndex).toBe(0);
    expect(within(table).getAllByRole("row")).toHaveLength(2);
  });
});
