"use client";

import { Alert, Stack, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { SmallPage } from "#app/_ui/small-page.tsx";

interface AuthFrameProps {
  readonly title: string;
  /** What went wrong last. */
  readonly problem?: string | null;
  /** Shown below the card. */
  readonly foot?: ReactNode;
  readonly children: ReactNode;
}

/** The small page of whoever is not signed in. */
export function AuthFrame({ title, problem, foot, children }: AuthFrameProps) {
  return (
    <SmallPage width={380} foot={foot}>
      <Stack>
        <Title order={1} size="h3">
          {title}
        </Title>
        {problem && (
          <Alert color="red" role="alert">
            {problem}
          </Alert>
        )}
        {children}
      </Stack>
    </SmallPage>
  );
}
