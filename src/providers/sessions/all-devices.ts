/** One list of what gives access to an account, one row for each browser and app, and the end of each. */
import { placesByAddress } from '../../core/support/locations.js';
import type { RefreshFamily } from '../../domain/refresh-family.js';
import { keyOf } from '../../core/sessions/refresh-tokens.js';
import { toSignedInDevice, type DeviceKind, type UnplacedDevice } from '../../domain/signed-in-device.js';
import { hasToken } from '../../core/sessions/trusted-browsers.js';
import { readPage, type PageRequest } from '../../core/support/pages.js';
import type { Toolkit } from '../../core/toolkit.js';
import type { ListPosition, ListRange } from '../../storage/list-range.js';
import type { TrustedBrowserWithUse } from '../../storage/second-factor-repositories.js';

type Tools = Pick<Toolkit, 'clock' | 'locate' | 'sessions' | 'storage' | 'trustedBrowsers'>;

/** What the request carries, so that its own device is marked. */
interface Caller {
  sessionToken?: string | undefined;
  trustToken?: string | undefined;
}

/** The caller's device, as far as the request names it. */
interface Own {
  sessionId: string | undefined;
  familyId: string | undefined;
  browser: TrustedBrowserWithUse | undefined;
}

/** The caller's device is above all others, whenever it signed in. The last millisecond that a cursor can have. */
const top = new Date('9999-12-31T23:59:59.999Z');

export class AllDevices {
  constructor(private readonly tools: Tools) {}

  /** Returns one page: the caller's device, then the others, newest first. @throws InvalidRequestError for a malformed page. */
  async list(userId: string, caller: Caller, page: PageRequest) {
    const { clock, locate, sessions, trustedBrowsers } = this.tools;
    const trusted = (await trustedBrowsers?.repository.list(userId, new Date(clock()))) ?? [];
    const claims = sessions.tokens.claimsOf(caller.sessionToken);
    const browser = trusted.find((each) => hasToken(each, caller.trustToken));
    const own = { sessionId: claims?.sid, familyId: claims?.fid, browser };
    const { rows, nextCursor } = await readPage(
      page,
      (range) => this.read(userId, trusted, own, range),
      positionOf,
    );
    const addresses = rows.map(({ ip }) => ip);
    const places = await placesByAddress(locate, addresses);
    return { devices: rows.map((row) => ({ ...row, place: places.get(row.ip) ?? null })), nextCursor };
  }

  /** Ends a device of the user. Ignores one that is unknown, has ended, or belongs to another user. */
  async revoke(userId: string, { kind, id }: { kind: DeviceKind; id: string }): Promise<void> {
    const { sessions, trustedBrowsers } = this.tools;
    if (kind === 'browser') return sessions.revokeSession(id, userId);
    if (kind === 'app') return sessions.revokeFamily(id, userId);
    await trustedBrowsers?.revoke(userId, id);
  }

  /** Each source returns as many rows as the page has, because all of them may be of one source, and one more for the caller's device. */
  private async read(
    userId: string,
    trusted: readonly TrustedBrowserWithUse[],
    own: Own,
    { after, limit = Infinity }: ListRange,
  ): Promise<UnplacedDevice[]> {
    const range = { ...(after && { after }), limit: limit + 1 };
    const [browsers, apps] = await Promise.all([
      this.browsers(userId, trusted, range),
      this.apps(userId, range),
    ]);
    const idle = trusted.filter((each) => !each.isSignedIn && (!after || isAfter(each, after)));
    const rows = [...browsers, ...apps, ...idle.map(toTrusted)].sort((a, b) => (isAfter(a, b) ? 1 : -1));
    // The trust alone does not make a session the caller's: a thief of its cookie has signed in with it too.
    const isOwn = ({ id, kind, trust }: UnplacedDevice) =>
      id === own.sessionId ||
      id === own.familyId ||
      (kind === 'trusted_browser' && trust !== null && trust.id === own.browser?.id);
    const others = rows.filter((row) => !isOwn(row));
    if (after) return others.slice(0, limit);
    const found = rows.filter(isOwn);
    const signedIn = found.find(({ kind }) => kind !== 'trusted_browser');
    const current = signedIn ?? (await this.callers(userId, own)) ?? found[0];
    return [...(current ? [{ ...current, current: true }] : []), ...others].slice(0, limit);
  }

  private async browsers(
    userId: string,
    trusted: readonly TrustedBrowserWithUse[],
    range: ListRange,
  ): Promise<UnplacedDevice[]> {
    const { clock, storage } = this.tools;
    const active = await storage.sessions.listBrowsers(userId, new Date(clock()), range);
    return active.map((session) => {
      const browser = trusted.find(({ id }) => id === session.trustedBrowserId);
      return toSignedInDevice('browser', session.device, {
        ...session,
        trust: trustIn(browser),
        current: false,
      });
    });
  }

  private async apps(userId: string, range: ListRange): Promise<UnplacedDevice[]> {
    const { clock, storage } = this.tools;
    const active = (await storage.refreshFamilies?.listLive(userId, new Date(clock()), range)) ?? [];
    return active.map((family) => toApp(family));
  }

  /** The caller's session or refresh family, if it is active and the page does not contain it: it may be older than the page. */
  private async callers(
    userId: string,
    { browser, familyId, sessionId }: Own,
  ): Promise<UnplacedDevice | undefined> {
    const { clock, sessions, storage } = this.tools;
    const session = sessionId === undefined ? null : await sessions.rowOf(sessionId);
    const isActive = (row: { userId: string; revokedAt: Date | null; expiresAt: Date }) =>
      row.userId === userId && row.revokedAt === null && row.expiresAt.getTime() > clock();
    if (session && isActive(session)) {
      const state = { ...session, trust: trustIn(browser), current: true };
      return toSignedInDevice('browser', session.device, state);
    }
    const found = familyId === undefined ? null : await storage.refreshFamilies?.findWithUser(familyId);
    if (!found || !isActive(found.family) || found.family.epoch !== found.user.epoch) return undefined;
    return toApp(found.family);
  }
}

function toApp(family: RefreshFamily): UnplacedDevice {
  const lastSeenAt = family.counter === 0 ? null : family.rotatedAt;
  const boundAt = keyOf(family) === undefined ? null : family.createdAt;
  const state = { ...family, lastSeenAt, trust: null, boundAt, current: false };
  return toSignedInDevice('app', family.device, state);
}

function toTrusted(browser: TrustedBrowserWithUse): UnplacedDevice {
  const state = { ...browser, lastSeenAt: browser.lastUsedAt, trust: trustIn(browser), current: false };
  return toSignedInDevice('trusted_browser', browser.device, state);
}

function trustIn(browser: TrustedBrowserWithUse | undefined): UnplacedDevice['trust'] {
  return browser ? { id: browser.id, expiresAt: browser.expiresAt } : null;
}

function positionOf({ createdAt, current, id }: UnplacedDevice): ListPosition {
  return { createdAt: current ? top : createdAt, id };
}

/** Whether a row comes after another, in the order newest first. */
function isAfter(row: ListPosition, other: ListPosition): boolean {
  const difference = row.createdAt.getTime() - other.createdAt.getTime();
  return difference < 0 || (difference === 0 && row.id < other.id);
}
