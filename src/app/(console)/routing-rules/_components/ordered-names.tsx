"use client";

import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import {
  arrayMove,
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from "@dnd-kit/sortable";
import { ActionIcon, Group, Stack, Text } from "@mantine/core";
import { useEffect } from "react";
import { GripIcon } from "#app/_ui/icons.tsx";
import { ChosenName } from "./name-picker.tsx";

interface OrderedNamesProps {
  readonly names: readonly string[];
  readonly onChange: (names: string[]) => void;
}

function Item({ name, place, onRemove }: { name: string; place: number; onRemove: () => void }) {
  const { attributes, listeners, setNodeRef, transform, transition } = useSortable({ id: name });
  const moved = transform ? `translate3d(0, ${transform.y}px, 0)` : undefined;
  return (
    <Group
      component="li"
      ref={setNodeRef}
      gap="xs"
      wrap="nowrap"
      style={{ transform: moved, transition: transition ?? undefined }}
    >
      <ActionIcon
        variant="subtle"
        color="gray"
        {...attributes}
        {...listeners}
        aria-label={`Move ${name}`}
        style={{ cursor: "grab", touchAction: "none" }}
      >
        <GripIcon />
      </ActionIcon>
      <Text size="sm" c="dimmed">
        {place}
      </Text>
      <ChosenName name={name} onRemove={onRemove} />
    </Group>
  );
}

/** A list whose order counts: moved by dragging, or with Space, the arrow keys and Space again. */
export function OrderedNames({ names, onChange }: OrderedNamesProps) {
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  // A keyboard drag ends on a resize, but not when its list goes away: it would take the next Enter, Space or Tab.
  useEffect(() => () => void window.dispatchEvent(new Event("resize")), []);
  function drop({ active, over }: DragEndEvent) {
    if (!over || active.id === over.id) return;
    onChange(arrayMove([...names], names.indexOf(String(active.id)), names.indexOf(String(over.id))));
  }
  if (names.length === 0) return null;
  return (
    <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={drop}>
      <SortableContext items={[...names]} strategy={verticalListSortingStrategy}>
        <Stack component="ol" gap={2} m={0} p={0} style={{ listStyle: "none" }}>
          {names.map((name, index) => (
            <Item
              key={name}
              name={name}
              place={index + 1}
              onRemove={() => onChange(names.filter((one) => one !== name))}
            />
          ))}
        </Stack>
      </SortableContext>
    </DndContext>
  );
}
