const mib = 1_048_576;

/** What every provider with image input reads. */
export const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;
export const imagesMax = 8;
/** Of one image. As Base64, eight of them and the conversation fit into a request. */
const imageBytesMax = 2.5 * mib;

const isImage = ({ type }: File): boolean => imageTypes.some((known) => known === type);

/** Why a file cannot be sent; null if it can. */
function problemOf(file: File): string | null {
  if (!isImage(file)) return `${file.name} is no PNG, JPEG, WebP or GIF image`;
  return file.size > imageBytesMax
    ? `${file.name} has ${(file.size / mib).toFixed(1)} MB; an image may have ${imageBytesMax / mib} MB at most`
    : null;
}

const dataUrlOf = (file: File): Promise<string> => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result));
  reader.onerror = () => reject(reader.error ?? new Error("unreadable"));
  reader.readAsDataURL(file);
  return promise;
};

interface ReadImages {
  readonly images: readonly string[];
  /** What could not be added; null if everything could. */
  readonly problem: string | null;
}

/** Adds files to images, as data URLs. */
export async function readImages(files: readonly File[], images: readonly string[]): Promise<ReadImages> {
  const problems = files.flatMap((file) => problemOf(file) ?? []);
  const fitting = files.filter((file) => problemOf(file) === null);
  const room = imagesMax - images.length;
  if (fitting.length > room) problems.push(`A message may have ${imagesMax} images at most`);
  const read = await Promise.allSettled(fitting.slice(0, Math.max(0, room)).map(dataUrlOf));
  if (read.some(({ status }) => status === "rejected")) problems.push("A file could not be read");
  const added = read.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  return {
    images: [...images, ...added],
    problem: problems.length > 0 ? `${problems.join(". ")}.` : null,
  };
}
