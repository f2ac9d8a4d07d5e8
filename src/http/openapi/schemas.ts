/** zod's schemas as OpenAPI 3.1 has them: JSON Schema 2020-12, with what has a name under `components`. */
import type { ZodType } from 'zod';
import type { Zod } from '../../runtime/load.js';
import { schemaNames } from '../answer-schemas.js';

export type JsonSchema = Record<string, unknown>;

export class SchemaWriter {
  /** The named ones that were written so far. */
  readonly components: Record<string, JsonSchema> = {};

  constructor(private readonly z: Zod) {}

  write(schema: ZodType): JsonSchema {
    const {
      $schema: _,
      $defs,
      ...written
    } = this.z.toJSONSchema(schema, {
      // What may be sent, and what must be there in an answer: unknown fields are allowed in both, so that a field can be added.
      io: 'input',
      metadata: schemaNames(),
      override({ jsonSchema, zodSchema }) {
        // What a schema says of itself by `meta`, which is not in our own registry.
        Object.assign(jsonSchema, (zodSchema as unknown as ZodType).meta());
        // The format says it; zod's patterns are for its own use.
        if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
        delete jsonSchema.id;
      },
    }) as JsonSchema;
    for (const [name, component] of Object.entries(($defs ?? {}) as Record<string, JsonSchema>)) {
      this.components[name] = this.referring(component);
    }
    return this.referring(written);
  }

  private referring(schema: JsonSchema): JsonSchema {
    return JSON.parse(
      JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/'),
    ) as JsonSchema;
  }
}
