import type { Values } from "#contract/configuration-form.ts";
import { configurationForms } from "#contract/configuration-kinds.ts";
import { costsNothing, PriceImport } from "#contract/price-book.ts";
import { PriceEntry } from "#contract/price-entry.ts";
import { authorizeOperator, isOperator } from "#server/accounts/index.ts";
import { bookedPrices, importPrices, priceFault } from "#server/catalog/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { type Kind, textOf } from "../kind.ts";
import type { Session } from "../session.ts";
import { isEqual } from "../values.ts";

const { currency: _, ...filled } = PriceEntry.parse({ currency: "EUR", input: "0", output: "0" });
const defaults: Values = { ...filled, input: null, output: null };

/** A price without the fields that have their default. */
function compared(price: PriceEntry): Values {
  const fields = Object.entries(price).filter(
    ([name, value]) => !(name in defaults && isEqual(value, defaults[name])),
  );
  return { price: Object.fromEntries(fields), ...(costsNothing(price) && { free: true }) };
}

const wrong = (param: string, message: string): AppError =>
  new AppError("BAD_REQUEST", `${param}: ${message}`, { param });

async function importPrice({ database, as, later, catalogues }: Session, endpoint: unknown, price: unknown) {
  const operator = await authorizeOperator(database, as("billing:write"));
  const prices = [{ endpoint, price, free: true }];
  const input = PriceImport.parse({ schema: "portolan-prices/1", prices });
  // The endpoint itself may be deleted as well.
  await importPrices(database, operator, price === null ? catalogues.listed() : later.of(null), input);
}

export const prices: Kind = {
  kind: "prices",
  form: configurationForms.prices,
  permissions: { read: "activity:read", write: "billing:write", delete: "billing:write" },
  secretFields: [],
  defaults: {},
  exact: ["price"],
  fixed: [],
  isReplaced: false,
  comment: "The price book: prices that apply now instead of those of the catalogue. Only of the operator.",
  identify: ({ endpoint }) => ({ key: textOf(endpoint), name: textOf(endpoint) }),
  workspaceOf: () => null,
  async read({ database, caller, catalogues }) {
    if (!(await isOperator(database, caller))) return [];
    const { endpoints } = catalogues.listed();
    return [...(await bookedPrices(database.prisma))]
      .filter(([endpoint]) => endpoints.has(endpoint))
      .map(([endpoint, price]) => ({ id: endpoint, values: { endpoint, ...compared(price) } }));
  },
  comparable({ later }, { endpoint, price }) {
    const parsed = PriceEntry.parse(price);
    const fault = priceFault(parsed);
    if (fault) throw wrong(`price.${fault.field}`, fault.message);
    if (!later.of(null).endpoints.has(textOf(endpoint)))
      throw wrong("endpoint", "is not in the catalogue of the installation");
    return { endpoint, ...compared(parsed) };
  },
  async create(session, { endpoint, price }) {
    await importPrice(session, endpoint, price);
    return { id: textOf(endpoint) };
  },
  update: (session, { values }) => importPrice(session, values.endpoint, values.price),
  remove: (session, endpoint) => importPrice(session, endpoint, null),
};
