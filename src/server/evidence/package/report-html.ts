import type { Report, ReportTable } from "./report.ts";

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (value: unknown): string =>
  String(value ?? "").replaceAll(/[&<>"']/g, (character) => escapes[character] ?? "");

const paragraph = (text: string): string => `<p>${escaped(text)}</p>`;

function tableHtml({ headings, rows, none }: ReportTable): string {
  if (rows.length === 0) return paragraph(none);
  const names = headings.map((text) => `<th scope="col">${escaped(text)}</th>`).join("");
  const head = headings.length > 0 ? `<thead><tr>${names}</tr></thead>\n` : "";
  const body = rows
    .map((cells) => `<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join("")}</tr>`)
    .join("\n");
  return `<table>${head}<tbody>\n${body}\n</tbody></table>`;
}

const style = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#111;background:#fff}
table{border-collapse:collapse;width:100%;margin:.5rem 0}th,td{border:1px solid #bbb;padding:.3rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}
th{background:#eee;overflow-wrap:normal}section{break-inside:avoid-page}`;

/** A report as one HTML page without scripts and without anything from elsewhere. */
export const reportHtml = ({ title, sections }: Report): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>
<style>${style}</style></head><body>
<h1>${escaped(title)}</h1>
${sections
  .map(({ title: name, content }) => {
    const parts = content.map((one) => (typeof one === "string" ? paragraph(one) : tableHtml(one)));
    return `<section><h2>${escaped(name)}</h2>\n${parts.join("\n")}\n</section>`;
  })
  .join("\n")}
</body></html>
`;
