import { fileURLToPath } from "node:url";
import { parentPort } from "node:worker_threads";
import pdfmake from "pdfmake";
import type { Content, TDocumentDefinitions } from "pdfmake/interfaces";
import { dateAt } from "#server/platform/clock.ts";
import type { Report, ReportTable } from "./report.ts";

/** A report, and how many rows each of its tables may have. */
export interface PdfQuestion {
  readonly report: Report;
  readonly rowsMax: number;
}

const fonts = new URL("fonts/Roboto/", import.meta.resolve("pdfmake/package.json"));
const font = (name: string): string => fileURLToPath(new URL(`Roboto-${name}.ttf`, fonts));

pdfmake.setFonts({ Roboto: { normal: font("Regular"), bold: font("Medium") } });
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy((path) => path.startsWith(fileURLToPath(fonts)));

/** How far down a page a section may begin: below it there is no room for the first row of its table. */
const headingRatioMax = 0.85;

const cellText = (value: string | number | null): string => String(value ?? "");

function tableContent({ headings, rows, none }: ReportTable, rowsMax: number): Content[] {
  if (rows.length === 0) return [none];
  const shown = rows.slice(0, rowsMax);
  const columns = shown[0]?.length ?? 0;
  const heading = headings.map((text) => ({ text, bold: true, fillColor: "#eeeeee" }));
  const table: Content = {
    layout: {
      hLineWidth: () => 0.5,
      vLineWidth: () => 0.5,
      hLineColor: () => "#bbbbbb",
      vLineColor: () => "#bbbbbb",
    },
    table: {
      headerRows: headings.length > 0 ? 1 : 0,
      dontBreakRows: true,
      widths: Array.from({ length: columns }, (_, at) => (at === columns - 1 ? "*" : "auto")),
      body: [...(headings.length > 0 ? [heading] : []), ...shown.map((cells) => cells.map(cellText))],
    },
    margin: [0, 2, 0, 6],
  };
  if (shown.length === rows.length) return [table];
  return [table, `The first ${shown.length} of ${rows.length} rows. report.html has all of them.`];
}

const definition = ({ report: { title, until, sections }, rowsMax }: PdfQuestion): TDocumentDefinitions => ({
  // An archive format: everything that is needed to show it is inside.
  ...{ subset: "PDF/A-3b", version: "1.7", language: "en", displayTitle: true },
  // The time of the content, so that the same report is the same bytes.
  info: {
    title,
    producer: "Portolan",
    creator: "Portolan",
    creationDate: dateAt(Date.parse(until)),
    modDate: dateAt(Date.parse(until)),
  },
  ...{ pageSize: "A4", pageOrientation: "landscape", pageMargins: [36, 36, 36, 40] },
  defaultStyle: { font: "Roboto", fontSize: 9 },
  footer: (page, pages) => ({ text: `${title} · ${page} / ${pages}`, alignment: "center", fontSize: 8 }),
  // No heading stands at the end of a page.
  pageBreakBefore: ({ headlineLevel, startPosition }) =>
    headlineLevel === 1 && startPosition.verticalRatio > headingRatioMax,
  content: [
    { text: title, fontSize: 16, bold: true, margin: [0, 0, 0, 8] },
    ...sections.flatMap(({ title: name, content }): Content[] => [
      { text: name, fontSize: 12, bold: true, margin: [0, 8, 0, 4], headlineLevel: 1 },
      ...content.flatMap((one) => (typeof one === "string" ? [one] : tableContent(one, rowsMax))),
    ]),
  ],
});

parentPort?.once("message", async (question: PdfQuestion) => {
  const bytes = await pdfmake.createPdf(definition(question)).getBuffer();
  parentPort?.postMessage(new Uint8Array(bytes));
});
