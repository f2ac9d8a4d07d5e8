/** Reports the event `limit.exceeded`: an attempt was refused by a limit. */
import type { RateLimitError } from '../../errors/catalog.js';
import { reasonOf } from '../../errors/reasons.js';
import type { EventBus } from './events.js';

const prefix = 'limit:';

/** Returns a function that emits the event for the error of a refused attempt. The name of a limit contains no subject. */
export function limitExceeded(events: EventBus): (error: RateLimitError) => void {
  return (error) => {
    const reason = reasonOf(error) ?? '';
    if (reason.startsWith(prefix)) events.emit('limit.exceeded', { limit: reason.slice(prefix.length) });
  };
}
