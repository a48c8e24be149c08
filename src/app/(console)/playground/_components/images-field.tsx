"use client";

import { Alert, Box, Button, CloseButton, FileButton, Group, Image } from "@mantine/core";
import { useRef, useState } from "react";
import { imagesMax, imageTypes, readImages } from "./images.ts";

interface ImagesFieldProps {
  readonly images: readonly string[];
  readonly onChange: (images: readonly string[]) => void;
}

/** The images of the message. */
export function ImagesField({ images, onChange }: ImagesFieldProps) {
  const [problem, setProblem] = useState<string | null>(null);
  // A browser reports a chosen file only if the field has another one.
  const emptyField = useRef<() => void>(null);
  const add = async (files: readonly File[]) => {
    const read = await readImages(files, images);
    emptyField.current?.();
    setProblem(read.problem);
    onChange(read.images);
  };
  return (
    <Box>
      <Group gap="xs">
        {images.map((url, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same image can be there twice
          <Group key={at} gap={2} wrap="nowrap" align="flex-start">
            <Image src={url} alt={`Image ${at + 1}`} h={56} w="auto" maw={140} fit="contain" radius="sm" />
            <CloseButton
              size="xs"
              aria-label={`Remove image ${at + 1}`}
              onClick={() => onChange(images.toSpliced(at, 1))}
            />
          </Group>
        ))}
        <FileButton
          multiple
          resetRef={emptyField}
          accept={imageTypes.join(",")}
          onChange={(files) => void add(files)}
        >
          {(props) => (
            <Button {...props} size="compact-sm" variant="default" disabled={images.length >= imagesMax}>
              Add images
            </Button>
          )}
        </FileButton>
      </Group>
      {problem && (
        <Alert color="red" role="alert" mt="xs" p="xs">
          {problem}
        </Alert>
      )}
    </Box>
  );
}
