/** Providers whose methods are spans, such as `svc_auth.emailPassword.login`. */
import type { Telemetry } from '../../core/support/telemetry.js';
import type { Providers } from '../provider-registry.js';

/** Returns the providers behind proxies. Calls of a provider to itself are not spans. */
export function tracedProviders(telemetry: Telemetry, providers: Providers): Providers {
  const traced = Object.entries(providers).map(([name, provider]: [string, object | undefined]) => {
    if (!(provider instanceof Map))
      return [name, provider && tracedProvider(telemetry, name, provider)] as const;
    const byName = [...(provider as Map<string, object>)].map(
      ([each, entry]) => [each, tracedProvider(telemetry, `oauth.${each}`, entry)] as const,
    );
    return [name, new Map(byName)] as const;
  });
  return Object.fromEntries<object | undefined>(traced) as Providers;
}

type AnyMethod = (...args: unknown[]) => unknown;

function tracedProvider<Provider extends object>(
  telemetry: Telemetry,
  name: string,
  provider: Provider,
): Provider {
  const methods = new Map<PropertyKey, AnyMethod>();
  return new Proxy(provider, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function' || typeof property === 'symbol' || property === 'constructor')
        return value;
      const traced =
        methods.get(property) ??
        ((...args: unknown[]) =>
          telemetry.span(`${name}.${property}`, {}, () => (value as AnyMethod).apply(target, args)));
      methods.set(property, traced);
      return traced;
    },
  });
}
