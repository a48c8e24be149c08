"use client";

import { Box, Button, Code, Collapse, Group, Text, VisuallyHidden } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { Schema } from "./document.ts";
import { Prose } from "./prose.tsx";
import { limitsOf, resolve, type Schemas, typeText, unfold } from "./schema.ts";
import classes from "./schema-tree.module.css";

/** The type of a field with its limits and default. */
export function TypeLine({ schema, schemas }: { schema: Schema; schemas: Schemas }) {
  const limits = limitsOf(resolve(schema, schemas));
  return (
    <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: "anywhere" }}>
      {typeText(schema)}
      {limits.length > 0 && `, ${limits.join(", ")}`}
      {schema.default !== undefined && `, default ${JSON.stringify(schema.default)}`}
    </Text>
  );
}

interface FieldProps {
  readonly name: string;
  readonly schema: Schema;
  readonly schemas: Schemas;
  readonly required: boolean;
}

function Field({ name, schema, schemas, required }: FieldProps) {
  const [opened, { toggle }] = useDisclosure(false);
  const inner = unfold(schema, schemas);
  const description = schema.description ?? resolve(schema, schemas).description;
  return (
    <li className={classes.field}>
      <Group gap="xs">
        <Code fz="sm">{name}</Code>
        {required && (
          <Text size="xs" className={classes.required}>
            required
          </Text>
        )}
        {inner.length > 0 && (
          <Button variant="subtle" size="compact-xs" onClick={toggle} aria-expanded={opened}>
            {opened ? "Hide fields" : "Show fields"}
            <VisuallyHidden>&nbsp;of {name}</VisuallyHidden>
          </Button>
        )}
      </Group>
      <TypeLine schema={schema} schemas={schemas} />
      {description && <Prose text={description} />}
      {inner.length > 0 && (
        <Collapse expanded={opened}>
          {opened &&
            inner.map((object) => <SchemaTree key={keyOf(object)} schema={object} schemas={schemas} />)}
        </Collapse>
      )}
    </li>
  );
}

const keyOf = ({ properties = {} }: Schema) => Object.keys(properties).join();

/** The fields of an object, nested ones on demand, so that recursive schemas cost nothing. */
export function SchemaTree({ schema, schemas }: { schema: Schema; schemas: Schemas }) {
  const objects = unfold(schema, schemas);
  if (objects.length === 0) return <TypeLine schema={schema} schemas={schemas} />;
  return objects.map((object) => (
    <Box component="ul" key={keyOf(object)} className={classes.tree}>
      {Object.entries(object.properties ?? {}).map(([name, field]) => (
        <Field
          key={name}
          name={name}
          schema={field}
          schemas={schemas}
          required={object.required?.includes(name) ?? false}
        />
      ))}
    </Box>
  ));
}
