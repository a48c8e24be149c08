import { hi, type MessageScenario, png, pngPart, text, user } from "./scenario.ts";

/** How the content of requests reaches a provider that only chats. */
export const contentScenarios: readonly MessageScenario[] = [
  { name: "a text", request: {}, sent: { messages: [{ role: "user", content: "Hi" }], max_tokens: 64 } },
  {
    name: "text blocks as one text",
    request: {
      messages: user([
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ]),
    },
    sent: { messages: [{ role: "user", content: "a\n\nb" }] },
  },
  {
    name: "a system text",
    request: { system: "Be brief." },
    sent: {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
      ],
    },
  },
  {
    name: "system blocks without their cache marks",
    request: {
      system: [
        { type: "text", text: "You are a pilot." },
        { type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } },
      ],
    },
    sent: {
      messages: [
        { role: "system", content: "You are a pilot.\n\nBe brief." },
        { role: "user", content: "Hi" },
      ],
    },
  },
  {
    name: "an empty system is left out",
    request: { system: "" },
    sent: { messages: [{ role: "user", content: "Hi" }] },
  },
  {
    name: "consecutive turns of one role",
    request: { messages: [...hi, { role: "user", content: "Are you there?" }] },
    sent: {
      messages: [
        { role: "user", content: "Hi" },
        { role: "user", content: "Are you there?" },
      ],
    },
  },
  {
    name: "a begun answer to continue",
    request: { messages: [...hi, { role: "assistant", content: "Well," }] },
    sent: {
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: "Well," },
      ],
    },
  },
  {
    name: "an inline image",
    request: {
      messages: user([
        { type: "image", source: png },
        { type: "text", text: "What is it?" },
      ]),
    },
    sent: { messages: [{ role: "user", content: [pngPart, text("What is it?")] }] },
  },
  {
    name: "an image by its address",
    request: {
      messages: user([{ type: "image", source: { type: "url", url: "https://images.example/a.png" } }]),
    },
    sent: {
      messages: [
        {
          role: "user",
          content: [{ type: "image_url", image_url: { url: "https://images.example/a.png" } }],
        },
      ],
    },
  },
  {
    name: "a PDF with its title",
    request: {
      messages: user([
        {
          type: "document",
          title: "Tides.pdf",
          source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
        },
      ]),
    },
    sent: {
      messages: [
        {
          role: "user",
          content: [
            text("Tides.pdf"),
            {
              type: "file",
              file: { filename: "Tides.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
            },
          ],
        },
      ],
    },
  },
  {
    name: "a document of plain text",
    request: {
      messages: user([
        {
          type: "document",
          title: "Tides",
          context: "From 2026",
          source: { type: "text", media_type: "text/plain", data: "High water at 6." },
        },
      ]),
    },
    sent: { messages: [{ role: "user", content: "Tides\nFrom 2026\n\nHigh water at 6." }] },
  },
  {
    name: "a document of blocks",
    request: {
      messages: user([
        { type: "document", source: { type: "content", content: [{ type: "text", text: "One" }] } },
      ]),
    },
    sent: { messages: [{ role: "user", content: "One" }] },
  },
  {
    name: "a search result",
    request: {
      messages: user([
        {
          type: "search_result",
          source: "https://tides.example",
          title: "Tides",
          content: [{ type: "text", text: "High water at 6." }],
        },
      ]),
    },
    sent: { messages: [{ role: "user", content: "Tides\nhttps://tides.example\n\nHigh water at 6." }] },
  },
];
