"use client";

import { Sheet } from "#app/_ui/sheet.tsx";
import type { DestinationType } from "#contract/destination.ts";
import { DestinationForm } from "./destination-form.tsx";
import { TypeGallery } from "./type-gallery.tsx";

interface AddSheetProps {
  readonly types: readonly DestinationType[];
  /** The one being set up; undefined while it is chosen. */
  readonly type: DestinationType | undefined;
  readonly onPick: (type: string) => void;
  readonly onClose: () => void;
}

/** A new destination: first what kind of one, then its form. */
export const AddSheet = ({ types, type, onPick, onClose }: AddSheetProps) =>
  type ? (
    <Sheet key={type.type} title={`Add ${type.name}`} onClose={onClose}>
      <DestinationForm type={type} onDone={onClose} />
    </Sheet>
  ) : (
    <Sheet key="gallery" title="Add a destination" onClose={onClose} size="min(760px, 100vw)">
      <TypeGallery types={types} onPick={onPick} />
    </Sheet>
  );
