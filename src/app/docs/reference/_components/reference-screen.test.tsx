import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import {
  answering,
  document,
  observerOf,
  operation,
  showReference,
  withReference,
} from "#test/console/reference.tsx";
import { fill, renderConsole } from "#test/console/render.tsx";
import { ReferenceScreen } from "./reference-screen.tsx";

withReference();
const headings = () => screen.getAllByRole("heading", { level: 3 }).map(({ textContent }) => textContent);

describe("the reference", () => {
  test("is drawn from the document that tools read, which it links to", async () => {
    const { paths } = showReference();
    await screen.findByText(/Portolan API 1.2.3/);
    expect(paths).toEqual(["/api/v1/openapi.json"]);
    expect(screen.getByRole("link", { name: "OpenAPI document" }).getAttribute("href")).toBe(paths[0]);
    expect(screen.getByText("One API for all providers.")).toBeDefined();
  });

  test("has the operations under their tags, the document's first", async () => {
    showReference();
    await operation("List API keys");
    expect(screen.getAllByRole("heading", { level: 2 }).map(({ textContent }) => textContent)).toEqual([
      "Keys",
      "Models",
    ]);
    expect(headings()).toEqual(["List API keys", "Create an API key", "List models"]);
    expect(screen.getByText("Keys of an organisation.")).toBeDefined();
  });

  test("has a table of contents with a link to each operation", async () => {
    showReference();
    const contents = await screen.findByLabelText("Operations");
    await within(contents).findByText("List models");
    const links = [...contents.querySelectorAll("a")].map((link) => [
      link.textContent,
      link.getAttribute("href"),
    ]);
    expect(links).toEqual([
      ["List API keys", "#listKeys"],
      ["Create an API key", "#createKey"],
      ["List models", "#listModels"],
    ]);
  });

  test("scrolls to the operation that the address names, once it is there", async () => {
    const scrolled: string[] = [];
    vi.spyOn(Element.prototype, "scrollIntoView").mockImplementation(function (this: Element) {
      scrolled.push(this.id);
    });
    window.location.hash = "#createKey";
    showReference();
    await waitFor(() => expect(scrolled).toEqual(["createKey"]));
    vi.restoreAllMocks();
  });
});

describe("finding an operation", () => {
  test.each([
    ["list", ["List API keys", "List models"]],
    ["POST keys", ["Create an API key"]],
    ["MODELS", ["List models"]],
    ["nothing", []],
  ])("by %s", async (typed, found) => {
    const { user } = showReference();
    await fill(user, await screen.findByLabelText("Find an operation"), typed);
    if (found.length > 0) await waitFor(() => expect(headings()).toEqual(found));
    else await screen.findByText("No matching operations.");
  });
});

describe("an operation", () => {
  test("shows its method and path, and whether it takes a key", async () => {
    showReference();
    const { article: list } = await operation("List models");
    expect(list.textContent).toContain("GET/modelsPublic");
    const { article: create } = await operation("Create an API key");
    expect(create.textContent).toContain("POST/keysAPI key required");
    expect(create.textContent).toContain("The answer contains the key once.");
  });

  test("has a command to try it, with the example body quoted for a shell", async () => {
    showReference();
    const { getByRole } = await operation("Create an API key");
    const command = getByRole("region", { name: "curl for Create an API key" }).textContent;
    expect(command).toContain("curl -X POST 'http://console.test/api/v1/keys'");
    expect(command).toContain('-H "Authorization: Bearer $PORTOLAN_API_KEY"');
    expect(command).toContain("It'\\''s mine");
  });

  test("that is public has a command without a key or body", async () => {
    showReference();
    const { getByRole } = await operation("List models");
    expect(getByRole("region", { name: "curl for List models" }).textContent).toBe(
      "curl 'http://console.test/api/v1/models'",
    );
  });

  test("has its required query parameters in the command, with example, first choice or name", async () => {
    showReference();
    const { getByRole } = await operation("List API keys");
    const command = getByRole("region", { name: "curl for List API keys" }).textContent;
    expect(command).toContain("/keys?state=usable&org_id=a%20b'");
    expect(command).not.toContain("offset");
  });

  test("has its parameters with place, type and description", async () => {
    showReference();
    const { getByRole } = await operation("List API keys");
    const rows = within(getByRole("table")).getAllByRole("row").slice(1);
    expect(rows.map((row) => [...row.children].map(({ textContent }) => textContent))).toEqual([
      ["offsetquery", "integerNumber of keys to skip."],
      ["statequery, required", '"usable" | "revoked"'],
      ["org_idquery, required", "string"],
    ]);
  });

  test("has the fields of its body with type, limits and default", async () => {
    showReference();
    const { article } = await operation("Create an API key");
    const fields = [...article.querySelectorAll("ul")][0];
    const texts = [...(fields?.children ?? [])].map(({ textContent }) => textContent);
    expect(texts[0]).toBe("namerequiredstring, length ≤ 100Name of the key.");
    expect(texts[1]).toBe("limitnumber or null, ≥ 0, default null");
  });

  test("unfolds nested fields on demand, and folds them again", async () => {
    const { user } = showReference();
    const { getByRole, queryByText } = await operation("Create an API key");
    const toggle = getByRole("button", { name: /Show fields\s+of parent/ });
    expect(toggle.getAttribute("aria-expanded")).toBe("false");
    await user.click(toggle);
    expect(getByRole("button", { name: /Hide fields\s+of parent/ }).getAttribute("aria-expanded")).toBe(
      "true",
    );
    await user.click(getByRole("button", { name: /Hide fields/ }));
    expect(queryByText("Hide fields")).toBeNull();
  });

  test("has a tab for each answer, with its example and description", async () => {
    const { user } = showReference();
    const { getByRole, getAllByRole } = await operation("Create an API key");
    expect(getAllByRole("tab").map(({ textContent }) => textContent)).toEqual(["201", "409"]);
    expect(getByRole("tabpanel").textContent).toContain("The new key.");
    expect(getByRole("region", { name: "example of 201 for Create an API key" }).textContent).toContain(
      "It's mine",
    );
    await user.click(getByRole("tab", { name: "409" }));
    expect(getByRole("tabpanel").textContent).toBe("The name is taken.");
  });

  test("draws its details only when it comes near the screen", async () => {
    vi.stubGlobal("IntersectionObserver", observerOf(false));
    showReference();
    const { queryByRole } = await operation("Create an API key");
    expect(queryByRole("region")).toBeNull();
  });
});

describe("a document that cannot be loaded", () => {
  test.each([
    ["refused", () => new Response(JSON.stringify(document), { status: 503 })],
    ["lost", () => Promise.reject(new TypeError("network error"))],
    ["not readable", () => new Response("<html>")],
  ])("because it was %s, can be asked for again", async (_why, respond) => {
    let failing = true;
    answering(() => (failing ? respond() : new Response(JSON.stringify(document))));
    const { user } = renderConsole(<ReferenceScreen />);
    await screen.findByRole("alert");
    expect(screen.queryByLabelText("Find an operation")).toBeNull();
    failing = false;
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await operation("List models");
  });
});
