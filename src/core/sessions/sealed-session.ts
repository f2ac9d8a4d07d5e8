/**
 * Encrypts a checked session for a store that other programs can read and write: the entry reveals no address, and only this service
 * can create one. It contains the time of its lookup, so that an old entry that is written again is refused like any old one.
 */
import { seal, unseal } from '../../crypto/secret-box.js';
import type { Keyring } from '../../crypto/keys.js';
import type { SessionEntry } from './session-entries.js';

/**
 * The fields of sessions and users differ between releases, which run at the same time during a rollout. Increment it when they change;
 * a test compares them.
 */
const version = 4;

export function sealEntry(keys: Keyring, entry: SessionEntry): string {
  return seal(keys, 'session_cache', ownerOf(entry.session.id), JSON.stringify(entry, tagDate));
}

/** Returns null if the entry was changed, is that of another session or release, or its key is unknown. */
export function unsealEntry(keys: Keyring, sessionId: string, sealed: string): SessionEntry | null {
  const unsealed = unseal(keys, 'session_cache', ownerOf(sessionId), sealed);
  return unsealed && (JSON.parse(unsealed.text, readDate) as SessionEntry);
}

const ownerOf = (sessionId: string) => `${version}|${sessionId}`;

interface TaggedDate {
  $date: number | null;
}

/** `JSON.stringify` calls `toJSON` of a date before the replacer. An invalid date stays one: it counts as past. */
function tagDate(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const original = this[key];
  if (Object.prototype.toString.call(original) !== '[object Date]') return value;
  return { $date: (original as Date).getTime() } satisfies TaggedDate;
}

/** Nothing else in an entry has such a tag: the metadata of a user is a string in it. */
function readDate(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('$date' in value)) return value;
  return new Date((value as TaggedDate).$date ?? Number.NaN);
}
