/** Creates the providers that the configuration enables, each once with its tools. */
import type * as z from 'zod';
import type { ConfigurableName } from '../config/provider-options.js';
import type { ParsedConfig } from '../config/schema.js';
import { hideState } from '../core/support/hidden-state.js';
import type { Toolkit } from '../core/toolkit.js';
import { providerTable } from '../providers/table.js';

type ProviderTable = typeof providerTable;
type ProviderName = keyof ProviderTable;

/** What each entry of the table creates; undefined if the configuration does not enable it. */
export type Providers = {
  readonly [Name in ProviderName]:
    ReturnType<ProviderTable[Name]['create']> | (Name extends ConfigurableName ? undefined : never);
};

/** The providers of a tier: an accessor of the wrong tier does not compile. */
export type ProviderOf<Tier extends 'free' | 'pro'> = {
  [Name in ProviderName]: ProviderTable[Name]['tier'] extends Tier ? Name : never;
}[ProviderName];

type Options = { [Name in ConfigurableName]: z.output<ReturnType<ProviderTable[Name]['options']>> };
type Create = { [Name in ConfigurableName]: { create: (options: Options[Name], tools: Toolkit) => object } };

/** @throws AdapterCapabilityError if the adapter does not store the records of a provider. */
export function createProviders({ providers }: ParsedConfig, tools: Toolkit): Providers {
  const created = Object.entries(providerTable).map(([name, entry]) => {
    const provider =
      'options' in entry ? createConfigured(name as ConfigurableName, providers, tools) : entry.create(tools);
    // `oauth` is a map of providers.
    for (const each of provider instanceof Map ? provider.values() : [provider]) if (each) hideState(each);
    return [name, provider] as const;
  });
  // `Object.fromEntries` loses which provider belongs to which name.
  return Object.fromEntries<object | undefined>(created) as Providers;
}

function createConfigured<Name extends ConfigurableName>(
  name: Name,
  providers: Partial<Options>,
  tools: Toolkit,
): object | undefined {
  const table: Create = providerTable;
  const options = providers[name];
  return options && table[name].create(options, tools);
}
