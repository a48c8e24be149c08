/** Content codings of pages and files, best first. */
export const contentCodings = [
  { name: "br", extension: ".br" },
  { name: "gzip", extension: ".gz" },
] as const;

type ContentCoding = (typeof contentCodings)[number];

/** Whether content of this media type becomes smaller by compression. */
export const isCompressible = (type: string): boolean =>
  /^(?:text\/|application\/(?:javascript|json)\b|image\/svg)/.test(type);

/** Whether `Accept-Encoding` names a coding, with a weight other than zero (RFC 9110, section 12.5.3). */
export const accepts = (header = "", { name }: Pick<ContentCoding, "name">): boolean =>
  header.split(",").some((choice) => {
    const [coding = "", ...parameters] = choice.split(";").map((text) => text.trim().toLowerCase());
    return coding === name && !parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter));
  });
