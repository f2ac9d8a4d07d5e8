/** One list of the sessions, refresh families and trusted browsers of a user, and the end of each. */
import { toSignedInDevice, type DeviceKind, type SignedInDevice } from '../../domain/signed-in-device.js';
import { hasToken } from '../../core/sessions/trusted-browsers.js';
import { readPage, type PageRequest } from '../../core/support/pages.js';
import type { Toolkit } from '../../core/toolkit.js';
import type { ListRange } from '../../storage/list-range.js';

type Tools = Pick<Toolkit, 'clock' | 'sessions' | 'storage' | 'trustedBrowsers'>;

/** What the request carries, so that its own devices are marked. */
interface Caller {
  sessionToken?: string | undefined;
  trustToken?: string | undefined;
}

export class AllDevices {
  constructor(private readonly tools: Tools) {}

  /** Returns one page, newest first. @throws InvalidRequestError for a malformed page. */
  async list(userId: string, caller: Caller, page: PageRequest) {
    const { rows, nextCursor } = await readPage(
      page,
      (range) => this.read(userId, caller, range),
      (device) => device,
    );
    return { devices: rows, nextCursor };
  }

  /** Ends a device of the user. Ignores one that is unknown, has ended, or belongs to another user. */
  async revoke(userId: string, { kind, id }: { kind: DeviceKind; id: string }): Promise<void> {
    const { sessions, trustedBrowsers } = this.tools;
    if (kind === 'browser') return sessions.revokeSession(id, userId);
    if (kind === 'app') return sessions.revokeFamily(id, userId);
    await trustedBrowsers?.revoke(userId, id);
  }

  /** Each source returns as many rows as the page has, because all of them may be of one source. */
  private async read(userId: string, caller: Caller, range: ListRange): Promise<SignedInDevice[]> {
    const parts = await Promise.all([
      this.browsers(userId, caller, range),
      this.apps(userId, caller, range),
      this.trustedBrowsers(userId, caller, range),
    ]);
    return parts
      .flat()
      .sort((a, b) => (isAfter(a, b) ? 1 : -1))
      .slice(0, range.limit);
  }

  private async browsers(
    userId: string,
    { sessionToken }: Caller,
    range: ListRange,
  ): Promise<SignedInDevice[]> {
    const { clock, sessions, storage } = this.tools;
    const currentId = sessions.tokens.claimsOf(sessionToken)?.sid;
    const active = await storage.sessions.listLive(userId, new Date(clock()), range);
    return active.map((session) =>
      toSignedInDevice('browser', session.device, { ...session, current: session.id === currentId }),
    );
  }

  private async apps(userId: string, { sessionToken }: Caller, range: ListRange): Promise<SignedInDevice[]> {
    const { clock, sessions, storage } = this.tools;
    const currentId = sessions.tokens.claimsOf(sessionToken)?.fid;
    const active = (await storage.refreshFamilies?.listLive(userId, new Date(clock()), range)) ?? [];
    return active.map((family) => {
      const lastSeenAt = family.counter === 0 ? null : family.rotatedAt;
      const current = family.id === currentId;
      return toSignedInDevice('app', family.device, { ...family, lastSeenAt, current });
    });
  }

  private async trustedBrowsers(
    userId: string,
    { trustToken }: Caller,
    { after }: ListRange,
  ): Promise<SignedInDevice[]> {
    const { clock, trustedBrowsers } = this.tools;
    const trusted = (await trustedBrowsers?.repository.list(userId, new Date(clock()))) ?? [];
    return trusted
      .filter((browser) => !after || isAfter(browser, after))
      .map((browser) => {
        const state = { ...browser, lastSeenAt: browser.lastUsedAt, current: hasToken(browser, trustToken) };
        return toSignedInDevice('trusted_browser', browser.device, state);
      });
  }
}

interface Position {
  createdAt: Date;
  id: string;
}

/** Whether a row comes after another, in the order newest first. */
function isAfter(row: Position, other: Position): boolean {
  const difference = row.createdAt.getTime() - other.createdAt.getTime();
  return difference < 0 || (difference === 0 && row.id < other.id);
}
