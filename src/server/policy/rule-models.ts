import type { RoutingRuleUpdate } from "#contract/routing-rule.ts";
import { type Catalogue, findModel, nameInAnyCase, nameMeant } from "#server/catalog/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { parseModelName } from "./variant.ts";

/**
 * A name in the catalogue's spelling, including its variant; undefined if the catalogue does not have it in any case.
 */
function writtenAs(catalogue: Catalogue, name: string): string | undefined {
  const isKnown = (one: string) => findModel(catalogue, one) !== undefined;
  if (isKnown(parseModelName(name, isKnown).model)) return name;
  const isWritten = (one: string) => nameInAnyCase(catalogue, one) !== undefined;
  const { model, variant } = parseModelName(name.toLowerCase(), isWritten);
  const known = nameInAnyCase(catalogue, model);
  return known && variant ? `${known}:${variant}` : known;
}

type Named = Pick<RoutingRuleUpdate, "model" | "models">;

interface Terms {
  /** The names the rule has already: they stay, though the catalogue may have lost their models. */
  readonly asWritten?: readonly (string | null)[];
  /** Where the rule stands in the request, as in `rule.`. */
  readonly path?: string;
}

/**
 * The models of a rule by the names the catalogue has: a rule for a model nobody knows would bind nobody. Throws
 * BAD_REQUEST for a name that is not in the catalogue in any case, with what was probably meant.
 */
export function ruleModels(
  catalogue: Catalogue,
  { model, models }: Named,
  { asWritten = [], path = "" }: Terms = {},
): Named {
  const named = (field: "model" | "models") => (name: string) => {
    const known = asWritten.includes(name) ? name : writtenAs(catalogue, name);
    if (known !== undefined) return known;
    const meant = nameMeant(catalogue, name);
    const hint = meant ? `did you mean \`${meant}\`?` : "GET /api/v1/models lists what there is";
    const param = path + field;
    throw new AppError("BAD_REQUEST", `${param}: \`${name}\` is not in the catalogue; ${hint}`, { param });
  };
  return {
    model: model ? named("model")(model) : model,
    models: models ? [...new Set(models.map(named("models")))] : models,
  };
}
