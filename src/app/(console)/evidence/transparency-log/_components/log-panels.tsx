import { Stack, Text } from "@mantine/core";
import { formatAbsolute, formatCount } from "#app/_lib/format.ts";
import { CodeBlock } from "#app/_ui/code-block.tsx";
import { Facts } from "#app/_ui/facts.tsx";
import { Panel } from "#app/_ui/panel.tsx";
import { SaveCheckpoint } from "#app/_ui/save-checkpoint.tsx";
import { VerifyLink } from "#app/_ui/verify-link.tsx";
import type { TransparencyLog } from "#contract/transparency-log.ts";

/** The newest state of the log, and what to store of it elsewhere. */
export function StatePanel({ log }: { readonly log: TransparencyLog }) {
  return (
    <Panel title="Newest checkpoint" aside={<SaveCheckpoint />}>
      <Stack gap="sm">
        <Facts
          label="Newest checkpoint"
          rows={[
            ["Origin", log.origin],
            ["Entries", formatCount(log.size)],
            ["Signed", formatAbsolute(log.signed_at)],
          ]}
        />
        <Text size="sm" c="dimmed">
          Store a checkpoint where nobody who runs this installation can change it. With it, anybody can
          verify later that no entry was changed or removed since.
        </Text>
        <VerifyLink>Verify a proof in the browser</VerifyLink>
      </Stack>
    </Panel>
  );
}

export function KeysPanel({ log: { public_keys } }: { readonly log: TransparencyLog }) {
  return (
    <Panel title="Public keys">
      <Stack gap="sm">
        <CodeBlock code={public_keys.join("\n")} label="keys of the log" />
        <Text size="sm" c="dimmed">
          Compare them with those that you stored when you began: a forger can only sign with another key.
        </Text>
      </Stack>
    </Panel>
  );
}

export function WitnessPanel({ log: { witnesses } }: { readonly log: TransparencyLog }) {
  return (
    <Panel title="Witnesses">
      {witnesses.length > 0 ? (
        <Facts
          label="Witnesses"
          rows={witnesses.map(({ name, cosigned_at }) => [name, `signed ${formatAbsolute(cosigned_at)}`])}
        />
      ) : (
        <Text size="sm" c="dimmed">
          No witness signs the checkpoints. The operator names witnesses in TRANSPARENCY_WITNESSES; until
          then, store checkpoints elsewhere yourself.
        </Text>
      )}
    </Panel>
  );
}

export function PublicationPanel({ log: { publications } }: { readonly log: TransparencyLog }) {
  return (
    <Panel title="Published checkpoints">
      {publications.length > 0 ? (
        <Facts
          label="Published checkpoints"
          rows={publications.map(({ target, size, published_at }) => [
            target,
            `${formatCount(size)} entries, ${formatAbsolute(published_at)}`,
          ])}
        />
      ) : (
        <Text size="sm" c="dimmed">
          Checkpoints are not published. The operator names a server, or a bucket whose objects cannot be
          deleted, in TRANSPARENCY_PUBLISH_TO.
        </Text>
      )}
    </Panel>
  );
}
