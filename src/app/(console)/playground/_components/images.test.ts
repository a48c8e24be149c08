import { expect, test } from "vitest";
import { imagesMax, readImages } from "./images.ts";

const fileOf = (name: string, type: string, bytes = 1) => new File([new Uint8Array(bytes)], name, { type });
const png = (bytes?: number) => fileOf("a.png", "image/png", bytes);

test("images are added as data URLs, after those that are there", async () => {
  expect(await readImages([png(), fileOf("b.webp", "image/webp")], ["data:image/gif;base64,AA=="])).toEqual({
    images: ["data:image/gif;base64,AA==", "data:image/png;base64,AA==", "data:image/webp;base64,AA=="],
    problem: null,
  });
});

test("what cannot be sent is named, and the rest is added", async () => {
  const { images, problem } = await readImages(
    [fileOf("notes.pdf", "application/pdf"), png(3_000_000), png()],
    [],
  );
  expect(images).toEqual(["data:image/png;base64,AA=="]);
  expect(problem).toBe(
    "notes.pdf is no PNG, JPEG, WebP or GIF image. a.png has 2.9 MB; an image may have 2.5 MB at most.",
  );
});

test("more than a message may have are not added", async () => {
  const { images, problem } = await readImages(
    Array.from({ length: imagesMax + 1 }, () => png()),
    [],
  );
  expect(images).toHaveLength(imagesMax);
  expect(problem).toBe("A message may have 8 images at most.");
});
