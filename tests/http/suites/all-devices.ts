/** GET /devices/all and DELETE /devices/:kind/:id. */
import { codeAt } from '../../support/authenticator-app.js';
import { encryptionKey } from '../../support/every-provider.js';
import { validPassword, type Site } from '../../support/http-site.js';
import { isSignedIn } from '../../support/site-actions.js';
import type { OpenSite } from '../matrix.js';
import { expectError, isoDate } from './expect.js';

const step = 30_000;
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

export function allDevices(open: OpenSite): void {
  const openPro = () =>
    open({
      pro: true,
      service: {
        encryptionKey,
        providers: { sessions: true, refresh: true, totp: { trustedBrowsers: true } },
      },
    });
  const list = (site: Site, cookie: string, query = '') => site.get(`/devices/all${query}`, { cookie });
  const end = (site: Site, cookie: string, kind: string, id: string) =>
    site.send('DELETE', `/devices/${kind}/${id}`, undefined, { cookie });

  /** An account that is signed in by a browser and an app, and trusts a browser. */
  async function signedInEverywhere(site: Site) {
    const account = await site.signUp();
    const { secret } = (await site.post('/totp/enroll', undefined, { cookie: account.cookie })).json;
    const code = () => codeAt(secret, site.clock.now());
    const confirmed = await site.post('/totp/confirm', { code: code() }, { cookie: account.cookie });
    await site.post('/logout', undefined, { cookie: confirmed.cookie() });
    site.clock.advance(step);
    const login = { email: account.email, password: validPassword };
    const pending = await site.post('/password/login', login);
    const body = { code: code(), trustBrowser: true };
    const headers = { 'User-Agent': firefox };
    const cookies = { cookie: pending.cookie('svc_mfa'), headers };
    const verified = await site.post('/mfa/verify', body, cookies);
    const cookie = `${verified.cookie()}; ${verified.cookie('svc_trust')}`;
    site.clock.advance(1_000);
    const app = await site.post('/token/issue', { device: { name: 'CLI' } }, { cookie, headers });
    return { ...account, cookie, login, app: app.json };
  }

  describe('all devices', () => {
    it('GET /devices/all lists this browser with its trust first, then the apps', async () => {
      const site = await openPro();
      const { cookie } = await signedInEverywhere(site);
      const { status, json } = await list(site, cookie);
      expect([status, json.nextCursor]).toEqual([200, null]);
      const times = {
        createdAt: expect.stringMatching(isoDate) as string,
        expiresAt: expect.stringMatching(isoDate) as string,
      };
      const common = { id: expect.any(String) as string, client: 'Firefox on Linux', ...times };
      const ip = expect.any(String) as string;
      const lastSeenAt = expect.stringMatching(isoDate) as string;
      expect(json.devices).toEqual([
        {
          ...common,
          kind: 'browser',
          name: null,
          ip,
          place: null,
          lastSeenAt,
          current: true,
          trust: { id: common.id, expiresAt: times.expiresAt },
          bound: false,
        },
        {
          ...common,
          kind: 'app',
          name: 'CLI',
          ip,
          place: null,
          lastSeenAt: null,
          current: false,
          trust: null,
          bound: false,
        },
      ]);
      const { devices } = (await site.get('/devices', { cookie })).json;
      expect(devices).toHaveLength(1);
    });

    it('DELETE /devices/:kind/:id ends each of them, and the trust in a browser by its own id', async () => {
      const site = await openPro();
      const { cookie, login, app } = await signedInEverywhere(site);
      const devices = (await list(site, cookie)).json.devices as {
        kind: string;
        id: string;
        trust: { id: string } | null;
      }[];
      const idOf = (kind: string) => devices.find((each) => each.kind === kind)!.id;
      const trustId = devices.find(({ kind }) => kind === 'browser')!.trust!.id;
      expect((await end(site, cookie, 'app', idOf('app'))).json).toEqual({ ok: true });
      const { refreshToken } = app;
      const refreshed = await site.post('/token/refresh', { refreshToken });
      expectError(refreshed, 401, 'refresh_token_invalid');
      const trust = { cookie: cookie.split('; ')[1] };
      expect((await site.post('/password/login', login, trust)).status).toBe(200);
      await end(site, cookie, 'trusted_browser', trustId);
      expect((await site.post('/password/login', login, trust)).status).toBe(403);
      await end(site, cookie, 'browser', idOf('browser'));
      expect(await isSignedIn(site, cookie)).toBe(false);
    });

    it('DELETE /devices/browser/:id ends the trust in that browser, and POST /logout does not', async () => {
      const site = await openPro();
      const { cookie, login } = await signedInEverywhere(site);
      const trust = cookie.split('; ')[1] as string;
      await site.post('/logout', undefined, { cookie });
      // A later session of the browser, which its cookie has helped to start.
      const later = await site.post('/password/login', login, { cookie: trust });
      expect(later.status).toBe(200);
      const both = `${later.cookie()}; ${trust}`;
      const devices = (await list(site, both)).json.devices as { kind: string; id: string }[];
      const browser = devices.find(({ kind }) => kind === 'browser')!;
      expect((await end(site, both, 'browser', browser.id)).json).toEqual({ ok: true });
      expect((await site.post('/password/login', login, { cookie: trust })).json.error).toBe('mfa_required');
    });

    it('an administrator who ends a session ends the trust in its browser', async () => {
      const site = await openPro();
      const { cookie, email, login } = await signedInEverywhere(site);
      const trust = { cookie: cookie.split('; ')[1] };
      const { users } = site.service;
      const { id } = (await users.find({ email }))!;
      const stranger = await site.signUp();
      const strangerId = (await users.find({ email: stranger.email }))!.id;
      const [session] = (await users.listSessions(id)).sessions;
      // The session of another user: nothing ends.
      await users.revokeSession(strangerId, session!.id);
      expect((await site.post('/password/login', login, trust)).status).toBe(200);
      await users.revokeSession(id, session!.id);
      expect((await site.post('/password/login', login, trust)).json.error).toBe('mfa_required');
    });

    it('DELETE /devices/:kind/:id ignores what is unknown, of another kind, or of another user', async () => {
      const site = await openPro();
      const { cookie } = await signedInEverywhere(site);
      const stranger = await site.signUp();
      const { devices } = (await list(site, cookie)).json;
      for (const { kind, id } of devices) {
        expect((await end(site, stranger.cookie, kind, id)).status).toBe(200);
        const other = kind === 'app' ? 'browser' : 'app';
        expect((await end(site, cookie, other, id)).status).toBe(200);
      }
      expect((await list(site, cookie)).json.devices).toHaveLength(devices.length);
      expect((await end(site, cookie, 'browser', 'x')).status).toBe(200);
      expectError(await end(site, cookie, 'phone', devices[0].id), 400, 'invalid_request');
    });

    it('GET /devices/all returns every device once, over pages of any size', async () => {
      const site = await openPro();
      const { cookie, email } = await signedInEverywhere(site);
      const { id } = (await site.service.users.find({ email }))!;
      for (let count = 0; count < 3; count += 1) {
        // Two of the same time: the order continues by id.
        await site.service.sessionsProvider.create({ userId: id });
        await site.service.refresh.issue({ userId: id });
      }
      const all = (await list(site, cookie)).json.devices;
      // This browser with its trust is one row.
      expect(all).toHaveLength(8);
      for (const limit of [1, 2, 4, 8]) {
        const seen: unknown[] = [];
        for (let cursor: string | null = ''; cursor !== null;) {
          const page = await list(site, cookie, `?limit=${limit}${cursor && `&cursor=${cursor}`}`);
          seen.push(...page.json.devices);
          cursor = page.json.nextCursor;
        }
        expect(seen).toEqual(all);
      }
    });
  });
}
