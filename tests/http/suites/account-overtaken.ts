/**
 * A change that a user makes from a session, with a sign-out everywhere between the check of the
 * session and the change.
 */
import { request } from 'node:http';
import { outbox } from 'svc-auth/testing';
import { encryptionKey } from '../../support/every-provider.js';
import { storageHook } from '../../support/pause-points.js';
import type { HttpResponse } from '../../support/http-client.js';
import { basePath, validPassword, type Site } from '../../support/http-site.js';
import { enrollTotp, isSignedIn } from '../../support/site-actions.js';
import type { OpenSite } from '../matrix.js';
import { expectError } from './expect.js';

interface Prepared {
  userId: string;
  cookie: string;
  change: () => Promise<HttpResponse>;
}

/** By route: the storage method that makes the change, and a request that would succeed. */
const changes: Record<string, { verb: string; prepare: (site: Site) => Promise<Prepared> }> = {
  'POST /account/password': {
    verb: 'users.changePassword',
    async prepare(site) {
      const { user, cookie } = await site.signUp();
      const body = { currentPassword: validPassword, newPassword: 'battery staple' };
      return { userId: user.id, cookie, change: () => site.post('/account/password', body, { cookie }) };
    },
  },
  'POST /account/email/confirm': {
    verb: 'accounts.changeEmail',
    async prepare(site) {
      const { user, cookie } = await site.signUp();
      const email = site.uniqueEmail();
      await site.post('/account/email', { email }, { cookie });
      const body = { email, code: site.mail.lastCode(email) };
      return { userId: user.id, cookie, change: () => site.post('/account/email/confirm', body, { cookie }) };
    },
  },
  'POST /totp/recovery-codes': {
    verb: 'totp.replaceRecoveryCodes',
    async prepare(site) {
      const { user, cookie: first } = await site.signInByCode();
      const { cookie } = await enrollTotp(site, first);
      return {
        userId: user.id,
        cookie,
        change: () => site.post('/totp/recovery-codes', undefined, { cookie }),
      };
    },
  },
  'POST /totp/disable': {
    verb: 'totp.disable',
    async prepare(site) {
      const { user, cookie: first } = await site.signInByCode();
      const { cookie } = await enrollTotp(site, first);
      return { userId: user.id, cookie, change: () => site.post('/totp/disable', undefined, { cookie }) };
    },
  },
  'POST /guest/upgrade with a password': {
    verb: 'guests.upgrade',
    async prepare(site) {
      const { user, token } = await site.service.sessionsProvider.createGuest();
      const cookie = `svc_session=${token}`;
      const body = { email: site.uniqueEmail(), password: validPassword };
      return { userId: user.id, cookie, change: () => site.post('/guest/upgrade', body, { cookie }) };
    },
  },
  'POST /guest/upgrade with a code': {
    verb: 'guests.upgrade',
    async prepare(site) {
      const { user, token } = await site.service.sessionsProvider.createGuest();
      const cookie = `svc_session=${token}`;
      const email = site.uniqueEmail();
      await site.post('/guest/upgrade/send', { email }, { cookie });
      const body = { email, code: site.mail.lastCode(email) };
      return { userId: user.id, cookie, change: () => site.post('/guest/upgrade', body, { cookie }) };
    },
  },
  'DELETE /account': {
    verb: 'accounts.deleteUser',
    async prepare(site) {
      const { user, cookie } = await site.signUp();
      const change = () => site.send('DELETE', '/account', undefined, { cookie });
      return { userId: user.id, cookie, change };
    },
  },
};

export function accountOvertaken(open: OpenSite): void {
  const openPro = (once = storageHook('before', 'users.findById')) => {
    const mail = outbox();
    const providers = { account: { sender: mail }, sessions: true, totp: true, orgs: true } as const;
    return open({
      pro: true,
      wrapAdapter: once.wrapAdapter,
      service: { mail, encryptionKey, providers },
    });
  };

  describe('a change that a sign-out everywhere overtakes', () => {
    it.each(Object.entries(changes))(
      '%s returns 401 token_invalid, changes nothing and starts no session if the user signs out everywhere in the meantime',
      async (_route, { verb, prepare }) => {
        const once = storageHook('before', verb);
        const site = await openPro(once);
        const { userId, change } = await prepare(site);
        const { totp, users } = site.adapter;
        const revoke = () => site.service.sessionsProvider.revokeAll(userId);
        once.run = revoke;
        const before = await users.findById(userId);
        const codesBefore = await totp!.countRecoveryCodes(userId);
        const response = await change();
        expectError(response, 401, 'token_invalid');
        const { sessionsValidAfter, epoch, ...rest } = (await users.findById(userId))!;
        expect({ ...before, ...rest }).toEqual(before);
        expect([epoch, sessionsValidAfter]).toEqual([before!.epoch + 1, new Date(site.clock.now())]);
        expect(await totp!.countRecoveryCodes(userId)).toBe(codesBefore);
        const activeSessions = await site.adapter.sessions.listLive(userId, new Date(site.clock.now()));
        expect(activeSessions).toEqual([]);
      },
    );

    it.each(Object.entries(changes).filter(([route]) => !route.startsWith('DELETE')))(
      '%s starts no session if its own session is signed out while it is in flight',
      async (_route, { verb, prepare }) => {
        const once = storageHook('before', verb);
        const site = await openPro(once);
        const { userId, change } = await prepare(site);
        const activeSessions = () => site.adapter.sessions.listLive(userId, new Date(site.clock.now()));
        once.run = async () => {
          site.clock.advance(1);
          for (const { id } of await activeSessions()) await site.service.sessionsProvider.revokeDevice(id);
        };
        expectError(await change(), 401, 'token_invalid');
        expect(await activeSessions()).toEqual([]);
      },
    );

    it('POST /totp/disable starts no session if another session disables the second factor at the same time', async () => {
      const once = storageHook('before', 'totp.disable');
      const site = await openPro(once);
      const { user, cookie: first } = await site.signInByCode();
      const { cookie } = await enrollTotp(site, first);
      once.run = async () => {
        await site.service.totp.disable(user.id);
      };
      expectError(await site.post('/totp/disable', undefined, { cookie }), 401, 'token_invalid');
      expect(await site.adapter.sessions.listLive(user.id, new Date(site.clock.now()))).toEqual([]);
    });

    it('POST /orgs checks the session again if the body arrives after a sign-out', async () => {
      const site = await openPro();
      const { user, cookie } = await site.signInByCode();
      const body = JSON.stringify({ name: 'Acme' });
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const sent = request(
          {
            host: '127.0.0.1',
            port: site.port,
            method: 'POST',
            path: `${basePath}/orgs`,
            headers: {
              'Content-Type': 'application/json',
              'Content-Length': Buffer.byteLength(body),
              Cookie: cookie,
            },
          },
          (response) => {
            response.resume();
            resolve(response.statusCode);
          },
        );
        sent.on('error', reject);
        sent.flushHeaders();
        // Leaves enough time for the check of the session; the request waits for its body.
        setTimeout(() => {
          void site.service.sessionsProvider.revokeAll(user.id).then(() => sent.end(body));
        }, 250);
      });
      expect(status).toBe(401);
      expect(await site.service.orgs.listForUser(user.id)).toEqual([]);
      expect(await isSignedIn(site, cookie)).toBe(false);
    });
  });
}
