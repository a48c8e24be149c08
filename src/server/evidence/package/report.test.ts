import { expect, test } from "vitest";
import type { Report } from "./report.ts";
import { reportHtml } from "./report-html.ts";
import { reportPdf } from "./report-pdf.ts";

const report: Report = {
  title: "Where requests went <in October>",
  until: "2026-11-01T00:00:00.000Z",
  sections: [
    {
      title: "Recipients",
      content: [
        "Zażółć, Ελλάδα, Größe, Київ",
        { headings: ["Endpoint", "Requests"], rows: [["a & b:m", 3]], none: "None." },
        { headings: [], rows: [["Organisation", null]], none: "None." },
        { headings: ["Rule"], rows: [], none: "There were no rules." },
      ],
    },
  ],
};

test("a report becomes HTML in which no text is markup", () => {
  const html = reportHtml(report);
  expect(html).toContain("<h1>Where requests went &lt;in October&gt;</h1>");
  expect(html).toContain("<td>a &amp; b:m</td><td>3</td>");
  expect(html).toContain("<p>There were no rules.</p>");
});

test("a report becomes a PDF for archives with its fonts, which is the same bytes again", async () => {
  const pdf = await reportPdf(report);
  const text = pdf.toString("latin1");
  expect(text.startsWith("%PDF-1.7")).toBe(true);
  expect(text).toContain("<pdfaid:part>3</pdfaid:part>");
  expect(text).toContain("/FontFile2");
  expect((await reportPdf(report)).equals(pdf)).toBe(true);
});

test("a long table is cut in the PDF, which has less pages then, and says so", async () => {
  const rows = Array.from({ length: 400 }, (_, at) => [`endpoint-${at}`, at]);
  const long = {
    ...report,
    sections: [{ title: "All", content: [{ headings: ["E", "N"], rows, none: "" }] }],
  };
  const pages = (pdf: Buffer) => Number(/\/Count (\d+)/.exec(pdf.toString("latin1"))?.[1]);
  const [all, cut] = [await reportPdf(long), await reportPdf(long, 20)];
  expect(pages(cut)).toBe(1);
  expect(pages(all)).toBeGreaterThan(5);
});
