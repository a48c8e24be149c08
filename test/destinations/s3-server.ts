import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import S3rver from "s3rver";
import { afterAll } from "vitest";
import { directoryOfFile } from "../directories.ts";

export const bucketName = "traces-bucket";

/** A server of S3 on loopback with one bucket, which takes the key `S3RVER` only. Gone after the last test of the file. */
export async function startS3() {
  const directory = directoryOfFile();
  const s3 = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: bucketName, configs: [] }],
  });
  const { port } = await s3.run();
  afterAll(() => s3.close());
  return {
    /** Where its objects are. */
    directory,
    config: {
      bucketName,
      accessKeyId: "S3RVER",
      secretAccessKey: "S3RVER",
      endpoint: `http://127.0.0.1:${port}`,
      prefix: "llm",
      pathTemplate: "{prefix}/{year}/{month}/{apiKeyName}",
    },
    /** Names of the objects, the bucket first. */
    objects: (): string[] =>
      readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) =>
        name.endsWith(".json._S3rver_object"),
      ),
    read: (name: string) => JSON.parse(readFileSync(join(directory, name), "utf8")),
  };
}
