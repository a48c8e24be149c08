import { XMLParser, XMLValidator } from "fast-xml-parser";
import { z } from "zod";
import { type ExchangeRate, exchangeRate } from "#server/platform/money.ts";

export const ecbSource = "ECB euro foreign exchange reference rates";

/** The feed contains no valid rate. The message says why. */
export class RateError extends Error {
  override readonly name = "RateError";
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "",
  parseAttributeValue: false,
  processEntities: false,
  isArray: (name) => name === "Cube",
});

/** Envelope → Cube → Cube of a day → Cube of each currency; only the parts that are read are required. */
const Feed = z.object({
  "gesmes:Envelope": z.object({
    Cube: z.array(
      z.object({
        Cube: z.array(
          z.object({
            time: z.iso.date(),
            Cube: z.array(z.object({ currency: z.string(), rate: z.string() })).min(1),
          }),
        ),
      }),
    ),
  }),
});

/** Returns the day and the USD for 1 EUR of the ECB's daily feed. Throws `RateError` for anything else. */
export function rateOfFeed(xml: string): ExchangeRate {
  // The ECB's feed declares neither entities nor a document type; nothing is expanded.
  if (/<!(DOCTYPE|ENTITY)/i.test(xml)) throw new RateError("it declares a document type");
  if (XMLValidator.validate(xml) !== true) throw new RateError("it is not XML");
  const feed = Feed.safeParse(parser.parse(xml));
  const day = feed.success ? feed.data["gesmes:Envelope"].Cube[0]?.Cube[0] : undefined;
  const dollar = day?.Cube.find(({ currency }) => currency === "USD");
  if (!day || !dollar) throw new RateError("it has no rate of the US dollar");
  if (!/^\d{1,6}(\.\d{1,12})?$/.test(dollar.rate) || Number(dollar.rate) <= 0)
    throw new RateError("its rate is not a positive decimal");
  return exchangeRate(dollar.rate, day.time, ecbSource);
}
