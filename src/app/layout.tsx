import "@mantine/core/styles.layer.css";
import "@mantine/notifications/styles.layer.css";
import "@mantine/spotlight/styles.layer.css";
import "./globals.css";
import { ColorSchemeScript, mantineHtmlProps } from "@mantine/core";
import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import { Providers } from "./_lib/providers.tsx";

export const metadata: Metadata = {
  title: { template: "%s · Portolan", default: "Portolan" },
  description: "Self-hosted router for LLM inference",
};

export const viewport: Viewport = {
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#ffffff" },
    { media: "(prefers-color-scheme: dark)", color: "#16191d" },
  ],
};

const nonceIn = (policy: string | null) => policy?.match(/'nonce-([^']+)'/)?.[1];

/** Reading the request's headers makes every page dynamic, which a nonce policy needs. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const request = await headers();
  const nonce = nonceIn(request.get("content-security-policy"));
  return (
    <html lang="en" {...mantineHtmlProps} data-request-id={request.get("x-request-id") ?? undefined}>
      <head>
        <ColorSchemeScript defaultColorScheme="auto" nonce={nonce} suppressHydrationWarning />
      </head>
      <body>
        <Providers>{children}</Providers>
      </body>
    </html>
  );
}
