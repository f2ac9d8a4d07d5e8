/** Reads names, descriptions and defaults of options from the zod schema of the configuration. */
import { serviceConfig } from '../src/config/schema.js';

/** The parts of a zod schema that describe an option. */
export interface Schema {
  shape?: Record<string, Schema>;
  /** Of a record: the schema of its values. */
  valueType?: Schema;
  minValue?: number | null;
  maxValue?: number | null;
  /** `defaultText` is the Markdown of a default that is a function. */
  meta: () => { title?: string; description?: string; defaultText?: string } | undefined;
  def: {
    type: string;
    innerType?: Schema;
    in?: Schema;
    options?: Schema[];
    values?: unknown[];
    defaultValue?: unknown;
  };
}

export const configSchema = serviceConfig() as unknown as Schema;

/** The description of an option, on the schema or behind defaults and optionals. */
export function descriptionOf(name: string, schema: Schema): string {
  const { description } = schema.meta() ?? {};
  if (description !== undefined) return description;
  const inner = schema.def.innerType ?? schema.def.in;
  if (!inner) throw new Error(`${name} has no description: add .describe() to it in the schema`);
  return descriptionOf(name, inner);
}

/** The object behind defaults, optionals and unions; undefined for a value that is not made of options. */
export function nestedSchema(schema: Schema): Schema | undefined {
  const { def } = schema;
  if (schema.shape) return schema;
  const inner = def.innerType ?? def.in;
  if (inner) return nestedSchema(inner);
  return def.options?.map(nestedSchema).find((option) => option !== undefined);
}

/** Returns the record of objects behind defaults and optionals. */
export function recordOf(schema: Schema): Schema | undefined {
  if (schema.valueType) return nestedSchema(schema.valueType) && schema;
  const inner = schema.def.innerType ?? schema.def.in;
  return inner && recordOf(inner);
}

/** The default of an option as Markdown, `—` if it may be absent, or **required**. */
export function defaultText(name: string, schema: Schema): string {
  const { def } = schema;
  if (def.type === 'prefault') return 'as below';
  if (def.type === 'optional') return '—';
  if (def.type !== 'default') return '**required**';
  const described = schema.meta()?.defaultText;
  if (described !== undefined) return described;
  const value = def.defaultValue;
  if (typeof value === 'function')
    throw new Error(`${name} has no defaultText: add it to .meta() in the schema`);
  const text = `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
  return name.endsWith('Ms') ? `${text} (${durationText(value as number)})` : text;
}

function durationText(ms: number): string {
  const [size, unit] = (
    [
      [86_400_000, 'day'],
      [3_600_000, 'hour'],
      [60_000, 'minute'],
    ] as const
  ).find(([each]) => ms % each === 0) ?? [1000, 'second'];
  const count = ms / size;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Returns what the comment of an option in `ServiceConfig` says: its meaning, and its default. An editor cannot follow links to pages. */
export function commentOf(name: string, schema: Schema): string {
  const text = descriptionOf(name, schema).replace(/: \[[^\]]*\]\([^)]*\)\.$/, '.');
  const description = text.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1');
  const value = defaultText(name, schema);
  return ['—', 'as below', '**required**'].includes(value)
    ? description
    : `${description} Default: ${value}.`;
}
