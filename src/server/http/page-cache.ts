import { LRUCache } from "lru-cache";
import { limits } from "#server/platform/limits.ts";
import { pagePolicy } from "./page-headers.ts";
import type { Render } from "./page-renderer.ts";
import { newMarks, type PageTemplate, templateOf } from "./page-template.ts";

/** A requested page: its path with the query, and the headers of a navigation. */
export interface PageRequest {
  readonly target: string;
  readonly navigation: Readonly<Record<string, string>>;
}

/** For a navigation, `_rsc` is a digest of its headers, and `next-url` is the previous page. */
const withoutDigest = (target: string): string =>
  target.replaceAll(/(?<=[?&])_rsc(=[^&]*)?(&|$)/g, "").replace(/[?&]$/, "");

/** Everything the rendering of a page depends on. */
function keyOf({ target, navigation }: PageRequest): string {
  const { "next-url": _, ...deciding } = navigation;
  const page = navigation.rsc === undefined ? target : withoutDigest(target);
  return JSON.stringify([page, Object.entries(deciding).sort()]);
}

/** The most requested rendered pages. */
export class PageCache {
  readonly #render: Render;
  readonly #pages = new LRUCache<string, PageTemplate>({
    maxSize: limits.pages.cacheCharsMax,
    sizeCalculation: ({ texts }) => texts.reduce((sum, text) => sum + text.length, 1),
  });
  readonly #underWay = new Map<string, Promise<PageTemplate>>();

  constructor(render: Render) {
    this.#render = render;
  }

  /** Returns the page, rendered unless it is cached. `beforeRender` may throw to prevent that. */
  async get(request: PageRequest, beforeRender: () => Promise<void>): Promise<PageTemplate> {
    const key = keyOf(request);
    const known = this.#pages.get(key) ?? this.#underWay.get(key);
    if (known) return known;
    await beforeRender();
    const begun = this.#underWay.get(key) ?? this.#make(key, request);
    this.#underWay.set(key, begun);
    return begun;
  }

  async #make(key: string, { target, navigation }: PageRequest): Promise<PageTemplate> {
    try {
      const marks = newMarks();
      const rendered = await this.#render(target, {
        ...navigation,
        // Next reads the nonce from the request's policy and adds it to its scripts; pages show the request id.
        "content-security-policy": pagePolicy(marks.nonce, false),
        "x-request-id": marks.requestId,
      });
      const template = templateOf(rendered, marks);
      if (template.status < 500) this.#pages.set(key, template);
      return template;
    } finally {
      this.#underWay.delete(key);
    }
  }
}
