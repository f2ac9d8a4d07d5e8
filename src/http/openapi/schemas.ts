/**
 * Converts zod schemas for OpenAPI 3.1: JSON Schema 2020-12, with named schemas under `components`.
 */
import * as z from 'zod';
import { schemaNames } from '../response-schemas.js';

export type JsonSchema = Record<string, unknown>;

export class SchemaWriter {
  /** The named schemas that have been written so far. */
  readonly components: Record<string, JsonSchema> = {};

  write(schema: z.ZodType): JsonSchema {
    const {
      $schema: _,
      $defs,
      ...written
    } = z.toJSONSchema(schema, {
      // Allows unknown fields, in responses too, so that a later version can add fields.
      io: 'input',
      metadata: schemaNames,
      override({ jsonSchema, zodSchema }) {
        // `meta` writes to zod's global registry, which `metadata` does not include.
        Object.assign(jsonSchema, (zodSchema as unknown as z.ZodType).meta());
        // The format implies the pattern.
        if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
        delete jsonSchema.id;
      },
    }) as JsonSchema;
    for (const [name, component] of Object.entries(($defs ?? {}) as Record<string, JsonSchema>)) {
      this.components[name] = this.withReferences(component);
    }
    return this.withReferences(written);
  }

  private withReferences(schema: JsonSchema): JsonSchema {
    return JSON.parse(
      JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/'),
    ) as JsonSchema;
  }
}
