/**
 * Reports changes of sessions and users to the subscribers in this process: those of other processes
 * by the listener, and the adapter's own before their promise settles, without a round trip.
 */
import {
  reportingRepositories,
  type SessionChangingRepositories,
} from '../../storage/session-changing-methods.js';
import type { SessionChanges } from '../../storage/session-changes.js';
import { SessionListener, type ListenerSource } from './session-listener.js';

/**
 * Returns the repositories with methods that report what they change, and the capability.
 * @param source where changes by other processes are heard of. Without it the database belongs to
 * this process, and checks always ask it.
 */
export function withSessionChanges<Adapter extends SessionChangingRepositories>(
  repositories: Adapter,
  source: ListenerSource | undefined,
): {
  repositories: Adapter & { sessionChanges: SessionChanges };
  /** Reports a change by another method. */
  report: (ids: readonly (string | null)[]) => void;
  closeListeners: () => Promise<void>;
} {
  const listeners = new Map<SessionListener, (id: string | null) => void>();
  const report = (ids: readonly (string | null)[]) => {
    for (const onChange of listeners.values()) ids.forEach((id) => onChange(id));
  };
  const close = async (listener: SessionListener) => {
    listeners.delete(listener);
    await listener.close();
  };
  const sessionChanges: SessionChanges = {
    subscribe(options) {
      if (!source) return { isCurrent: () => false, close: async () => undefined };
      const listener = new SessionListener(source, options);
      listeners.set(listener, options.onChange);
      return { isCurrent: () => listener.isCurrent(), close: () => close(listener) };
    },
  };
  return {
    repositories: { ...repositories, ...reportingRepositories(repositories, report), sessionChanges },
    report,
    closeListeners: async () => void (await Promise.all([...listeners.keys()].map(close))),
  };
}
