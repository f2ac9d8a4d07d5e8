/** Ends the oldest sign-ins of a user that exceed a limit, in memory. */
import type { EndedSignIns, SignInLimit } from '../../storage/sign-in-limit.js';
import { copy } from './copy.js';
import { byAge, type Tables } from './tables.js';

/** Call it in the synchronous block that inserts `started`. */
export function endSurplus(
  { users, sessions, families }: Tables,
  started: { id: string; userId: string },
  now: Date,
  { max, replaces, keeps }: SignInLimit,
): EndedSignIns {
  const { userId } = started;
  const epoch = users.get(userId)?.epoch;
  const isActive = (row: { id: string; userId: string; revokedAt: Date | null; expiresAt: Date }) =>
    row.userId === userId && row.id !== started.id && row.revokedAt === null && row.expiresAt > now;
  const others = [
    ...[...sessions.values()].filter(isActive),
    ...[...families.values()].filter((family) => isActive(family) && family.epoch === epoch),
  ];
  const counted = others.filter(({ id }) => id !== replaces).sort(byAge(({ id }) => id));
  counted.sort((a, b) => Number(a.id === keeps) - Number(b.id === keeps));
  const surplus = counted.slice(0, Math.max(0, counted.length - (max - 1)));
  const ended = [...others.filter(({ id }) => id === replaces), ...surplus];
  for (const row of ended) row.revokedAt = copy(now);
  const ids = ended.map(({ id }) => id);
  return {
    sessions: ids.filter((id) => sessions.has(id)),
    families: ids.filter((id) => families.has(id)),
  };
}
