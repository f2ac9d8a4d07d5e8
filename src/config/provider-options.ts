/** The `providers` part of the configuration, derived from the table of providers. */
import * as z from 'zod';
import { providerTable } from '../providers/table.js';

type ProviderTable = typeof providerTable;

/** The names that `providers` accepts. */
export type ConfigurableName = {
  [Name in keyof ProviderTable]: ProviderTable[Name] extends { options: () => z.ZodType } ? Name : never;
}[keyof ProviderTable];

type ProviderShape = {
  [Name in ConfigurableName]: z.ZodOptional<ReturnType<ProviderTable[Name]['options']>>;
};

/** Returns the schema for a configuration of some providers. The schemas of the options of others are not created. */
export function providerOptions(isConfigured: (provider: string) => boolean) {
  const absent = z.undefined().optional();
  const options = Object.entries(providerTable).flatMap(([name, entry]) => {
    if (!('options' in entry)) return [];
    return [[name, isConfigured(name) ? z.optional<z.ZodType>(entry.options()) : absent] as const];
  });
  // `Object.fromEntries` loses which schema belongs to which name.
  return z.strictObject(Object.fromEntries(options) as unknown as ProviderShape);
}
