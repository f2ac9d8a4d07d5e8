/** The `providers` part of the configuration, derived from the table of providers. */
import * as z from 'zod';
import { providerTable } from '../providers/table.js';

type ProviderTable = typeof providerTable;

/** The names that `providers` accepts. */
export type ConfigurableName = {
  [Name in keyof ProviderTable]: ProviderTable[Name] extends { options: z.ZodType } ? Name : never;
}[keyof ProviderTable];

type ProviderShape = { [Name in ConfigurableName]: z.ZodOptional<ProviderTable[Name]['options']> };

export const providerOptions = z.strictObject(providerShape());

function providerShape(): ProviderShape {
  const options = Object.entries(providerTable).flatMap(([name, entry]) =>
    'options' in entry ? [[name, z.optional(entry.options as z.ZodType)] as const] : [],
  );
  // `Object.fromEntries` loses which schema belongs to which name.
  return Object.fromEntries(options) as ProviderShape;
}
