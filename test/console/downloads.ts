import { afterEach, beforeEach, vi } from "vitest";

interface Download {
  readonly name: string;
  readonly type: string;
  text(): Promise<string>;
}

/** Collects the files that the tests of a file hand to the browser. */
export function collectDownloads(): readonly Download[] {
  const downloads: Download[] = [];
  beforeEach(() => {
    downloads.length = 0;
    const blobs = new Map<string, Blob>();
    vi.spyOn(URL, "createObjectURL").mockImplementation((object) => {
      const url = `blob:${blobs.size}`;
      if (object instanceof Blob) blobs.set(url, object);
      return url;
    });
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
      const blob = blobs.get(this.href);
      if (blob) downloads.push({ name: this.download, type: blob.type, text: () => blob.text() });
    });
  });
  afterEach(() => void vi.restoreAllMocks());
  return downloads;
}
