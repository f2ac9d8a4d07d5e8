/** Checks the options of functions that need no service: adapters, presets of identity providers, password hashers. */
import { ConfigError } from './catalog.js';
import { unknownOption } from './closest-name.js';

/**
 * An option with a misspelled name would have no effect: `microsoft({ tenantId })` would let every tenant in.
 * @param call such as `github(…)`. @param names those of the known options.
 * @throws ConfigError if the options are not an object, or contain an unknown one.
 */
export function checkOptions<Options extends object>(
  call: string,
  options: Options,
  names: readonly (keyof Options & string)[],
): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    refuseOption(call, 'must be called with an object of options');
  const unknown = Object.keys(options).find((name) => !(names as readonly string[]).includes(name));
  if (unknown !== undefined) refuseOption(`${call}.${unknown}`, unknownOption(unknown, names));
}

/** Returns the URL. @param path such as `github(…).url`. @throws ConfigError if it is not one of http or https. */
export function httpUrl(path: string, url: unknown): URL {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : null;
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed : refuseOption(path, 'must be an http(s) URL');
}

/** @throws ConfigError */
export function refuseOption(path: string, message: string): never {
  throw new ConfigError([{ path, message }]);
}
