/** The schema that `svc-auth migrate` and `svc-auth grants` work on. */
import { internals } from '../core/internals.js';
import type { Service } from '../engine/service.js';
import type { SchemaAdministration } from '../storage/schema-administration.js';

/** @throws Error if the adapter has no schema. */
export function schemaOf(service: Service): SchemaAdministration {
  const { schema } = service[internals].storage;
  if (!schema) throw new Error('This adapter has no schema that svc-auth manages.');
  return schema;
}
