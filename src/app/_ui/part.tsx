"use client";

import dynamic from "next/dynamic";
import type { ComponentType, ReactNode } from "react";
import { loadPart } from "../_lib/load-part.ts";

const Nothing = () => null;

/**
 * A part of a page whose script loads when it is first drawn, in the browser only. Until then `loading` stands there.
 * Without a connection it waits for the server: an error would replace the page, with all that was typed.
 */
export const part = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  loading: () => ReactNode = Nothing,
) => dynamic<Props>(() => loadPart<ComponentType<Props>>(load, loading), { ssr: false, loading });
