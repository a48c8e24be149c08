// The form of the page: it verifies again after each change of a field.
import { NotValid, verifyFile } from "../verify.mjs";
import { withSignatures } from "./browser.mjs";

const how = {
  key: "the field “Public keys”",
  checkpoint: "the field “Earlier checkpoint”",
  witness: "the field “Witnesses”",
  digestKey: "the field “Key of the digests”",
  request: "the field “Request”",
  answer: "the field “Answer”",
};
const field = (id) => document.getElementById(id);
const linesOf = (id) => {
  const lines = field(id)
    .value.split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return lines.length > 0 ? lines : undefined;
};
const textOf = (id) => field(id).files[0]?.text();

const bytesIn = async (file) => file && new Uint8Array(await file.arrayBuffer());

/** The bodies of request and answer with the key of their digests; undefined if none of them is given. */
async function contentOf() {
  const key = field("digest-key").value.trim() || undefined;
  const [request, answer] = await Promise.all(["request", "answer"].map((id) => bytesIn(field(id).files[0])));
  return key || request || answer ? { key, request, answer } : undefined;
}

function show(state, title, lines) {
  field("result").dataset.state = state;
  field("title").textContent = title;
  // The first sentence has two lines. What is not proven comes before the details.
  const [sentence, ...others] = [
    lines.slice(0, 2).join("").replace("  ", " ").replace(/:$/, "."),
    ...lines.slice(2),
  ];
  const isDetail = (line) => line.startsWith(" ");
  const sorted = [sentence, ...others.filter((line) => !isDetail(line)), ...others.filter(isDetail)];
  const shown = sorted.map((line) => {
    const element = document.createElement(isDetail(line) ? "div" : "strong");
    element.textContent = line;
    return element;
  });
  field("lines").replaceChildren(...shown);
}

/** How often something was changed, so that an earlier result is not shown after a later one. */
let changes = 0;

async function update() {
  const change = ++changes;
  const text = await textOf("file");
  if (text === undefined) return;
  const given = {
    keys: linesOf("keys"),
    witnesses: linesOf("witnesses"),
    checkpoint: await textOf("checkpoint"),
    content: await contentOf(),
  };
  let result;
  try {
    const file = JSON.parse(text);
    result = ["valid", "Valid", await withSignatures(() => verifyFile(file, given, how))];
  } catch (error) {
    if (!(error instanceof NotValid || error instanceof SyntaxError)) throw error;
    const message = error instanceof NotValid ? error.message : "The file is not JSON";
    result = ["invalid", "Not valid", [`${message}.`]];
  }
  if (change === changes) show(...result);
}

addEventListener("unhandledrejection", ({ reason }) =>
  show("invalid", "Not verified", [
    `This browser could not verify it: ${reason?.message ?? reason}. Use scripts/verify.mjs, or a newer browser.`,
  ]),
);
document.querySelector("form").addEventListener("input", update);
document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
