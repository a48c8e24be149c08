import { configurationForms } from "#contract/configuration-kinds.ts";
import { tagsMax } from "#contract/tag.ts";
import { listTags, setTags } from "#server/tags/index.ts";
import { type Kind, textOf } from "../kind.ts";
import type { Session } from "../session.ts";

const namesOf = async ({ database, as }: Session): Promise<string[]> =>
  (await listTags(database, as("activity:read"))).map(({ name }) => name);

export const tags: Kind = {
  kind: "tags",
  form: configurationForms.tags,
  permissions: { read: "activity:read", write: "workspaces:write", delete: "workspaces:write" },
  secretFields: [],
  defaults: {},
  fixed: [],
  isReplaced: false,
  // While a file is applied there may be more, because what is not in it is deleted last.
  countMax: tagsMax,
  comment: "Tags: what usage is grouped by, besides key, model and so on.",
  identify: ({ name }) => ({ key: textOf(name), name: textOf(name) }),
  workspaceOf: () => null,
  read: async (session) => (await namesOf(session)).map((name) => ({ id: name, values: { name } })),
  comparable: (_session, values) => values,
  async create(session, { name }) {
    const id = textOf(name);
    await setTags(session.database, session.as("workspaces:write"), {
      tags: [...(await namesOf(session)), id],
    });
    return { id };
  },
  // A tag has no other fields.
  async update() {},
  async remove(session, id) {
    const others = (await namesOf(session)).filter((name) => name !== id);
    await setTags(session.database, session.as("workspaces:write"), { tags: others });
  },
};
