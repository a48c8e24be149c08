import type { EndpointWords } from "#contract/endpoint-words.ts";
import { placeText } from "#contract/places.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import { decimalFromPico } from "#server/platform/money.ts";

const perMillion = 1_000_000n;

function retentionText(days: number | null): string {
  if (days === null) return "unknown";
  return days === 0 ? "not stored" : `${days} ${days === 1 ? "day" : "days"}`;
}

/** Country, retention and price of an endpoint, as people read them. */
export const endpointWords = ({
  countries,
  regionGroups,
  retentionDays,
  price,
}: Endpoint): EndpointWords => ({
  place: placeText(countries, regionGroups),
  retention: retentionText(retentionDays.value),
  price: price && {
    currency: price.currency,
    input: decimalFromPico(price.input * perMillion),
    output: decimalFromPico(price.output * perMillion),
  },
});
