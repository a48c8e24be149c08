"use client";

import {
  Alert,
  Button,
  Center,
  Group,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { type FormEvent, useState } from "react";
import { safeNextPath, signIn } from "../../../_lib/sign-in-client.ts";
import { CompassIcon } from "../../../_ui/icons.tsx";
import { ThemeMenu } from "../../../_ui/later.tsx";

/** E-mail and password. The button waits for the page's script: a plain submit would go nowhere. */
export function SignInForm({ next }: { next: string | null }) {
  const ready = useMounted();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    setBusy(true);
    setProblem(null);
    const refusal = await signIn(String(fields.get("email")), String(fields.get("password")));
    if (refusal === null) return window.location.assign(safeNextPath(next));
    setProblem(refusal);
    setBusy(false);
  }

  return (
    <Center component="main" mih="100vh" p="md">
      <Stack w="100%" maw={380} gap="lg">
        <Group gap="xs" justify="space-between">
          <Group gap="xs">
            <CompassIcon width={28} height={28} />
            <Text fw={650} size="lg">
              Portolan
            </Text>
          </Group>
          <ThemeMenu />
        </Group>
        <Paper withBorder p="lg" bg="var(--console-surface)" shadow="xs">
          <form method="post" onSubmit={submit}>
            <Stack>
              <Title order={1} size="h3">
                Sign in
              </Title>
              {problem && (
                <Alert color="red" role="alert">
                  {problem}
                </Alert>
              )}
              <TextInput
                name="email"
                type="email"
                label="E-mail"
                autoComplete="username"
                required
                withAsterisk={false}
                data-autofocus
              />
              <PasswordInput
                name="password"
                label="Password"
                autoComplete="current-password"
                required
                withAsterisk={false}
                visibilityToggleButtonProps={{ "aria-label": "Show or hide the password", tabIndex: 0 }}
              />
              <Button type="submit" loading={busy} disabled={!ready} fullWidth>
                Sign in
              </Button>
            </Stack>
          </form>
        </Paper>
        <Text size="sm" c="dimmed">
          The first administrator's sign-in was printed when this server started on an empty database.
        </Text>
      </Stack>
    </Center>
  );
}
