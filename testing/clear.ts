/** Empties the storage of a service between tests. */
import { internals } from '../src/core/internals.js';
import type { Service } from '../src/engine/service.js';

/**
 * Waits for mails that are being sent, and removes all users and everything else from the storage of a service. Counters in
 * `rateLimit.store` remain.
 * @throws Error in production, if the adapter has no method `clear()`, and if a sender does not settle within five seconds;
 * InternalError if the database refuses, for example because a row of your application refers to a user.
 */
export async function clear(service: Service): Promise<void> {
  if (process.env['NODE_ENV'] === 'production')
    throw new Error('clear removes all users and does not run in production.');
  await service[internals].clear();
}
