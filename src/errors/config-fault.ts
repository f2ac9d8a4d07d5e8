/** What a `ConfigError` lists. */

/** One fault of a configuration: its path and how to fix it. */
export interface ConfigFault {
  /** Dotted path of the option, such as `providers.magicLink.baseUrl`. */
  path: string;
  message: string;
}
