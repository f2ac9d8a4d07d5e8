/** Every family of checks. Add a check to its family, and the id of its finding to docs/operate.md. */
import { bearer } from './bearer.js';
import { configuration } from './configuration.js';
import { cookies } from './cookies.js';
import { cors } from './cors.js';
import { database } from './database.js';
import type { Family, FindingKinds } from './finding.js';
import { limits } from './limits.js';
import { links } from './links.js';
import { passkeys } from './passkeys.js';
import { proxy } from './proxy.js';
import { routers } from './routers.js';
import { secrets } from './secrets.js';
import { senders } from './senders.js';
import { stores } from './stores.js';

export const families: readonly Family[] = [
  configuration,
  secrets,
  links,
  cookies,
  bearer,
  passkeys,
  limits,
  proxy,
  routers,
  cors,
  senders,
  stores,
  database,
];

/** Every kind of finding, by its id. */
export const findingKinds: FindingKinds = Object.assign(
  {},
  ...families.map(({ kinds }) => kinds),
) as FindingKinds;
