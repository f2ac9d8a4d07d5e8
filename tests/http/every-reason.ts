/** Every request of the suites of reasons: its reason, the options of its site, and what sends it. */
import type { SiteOptions } from '../support/http-site.js';
import { configuredReasons } from './configured-reasons.js';
import { keyReasons, withBearer } from './key-reasons.js';
import { usualReasons, type Produce } from './reason-scenarios.js';

export const scenarios: readonly (readonly [string, SiteOptions, Produce])[] = [
  ...Object.entries(usualReasons).map(([name, produce]) => [name, {}, produce] as const),
  ...Object.entries(keyReasons).map(([name, produce]) => [name, withBearer, produce] as const),
  ...Object.entries(configuredReasons).map(([name, [options, produce]]) => [name, options, produce] as const),
];
