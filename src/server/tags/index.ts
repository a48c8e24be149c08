export { bookTags } from "./book-tags.ts";
export { type TagIndex, tagValuesOf } from "./tag-values.ts";
export { listTags, loadTagIndex, setTags } from "./tags.ts";
