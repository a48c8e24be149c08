"use client";

import { Box } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";

interface NearProps {
  /** Approximate height of the content, in pixels. */
  readonly height: number;
  readonly children: () => ReactNode;
}

/** How far outside the screen something counts as near. */
const margin = "800px";

/** Renders its content once it is near the viewport, because a hundred operations at once are slow. */
export function Near({ height, children }: NearProps) {
  const place = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (!place.current) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setNear(true), {
      rootMargin: margin,
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return near ? children() : <Box ref={place} h={height} />;
}
