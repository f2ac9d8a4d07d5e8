/** A change that a user makes from a session, and a sign-out everywhere between the check of the session and the change. */
import { request } from 'node:http';
import { outbox } from 'svc-auth/testing';
import { encryptionKey } from '../../support/every-provider.js';
import { onceInStorage } from '../../support/held.js';
import type { Answer } from '../../support/http-client.js';
import { base, goodPassword, type Site } from '../../support/http-site.js';
import { enrolTotp, isIn } from '../../support/people.js';
import type { OpenSite } from '../matrix.js';
import { expectError } from './expect.js';

interface Prepared {
  userId: string;
  cookie: string;
  change: () => Promise<Answer>;
}

/** By route: the storage verb that makes the change, and a request that would succeed. */
const changes: Record<string, { verb: string; prepare: (site: Site) => Promise<Prepared> }> = {
  'POST /account/password': {
    verb: 'users.changePassword',
    async prepare(site) {
      const { user, cookie } = await site.signUp();
      const body = { currentPassword: goodPassword, newPassword: 'battery staple' };
      return { userId: user.id, cookie, change: () => site.post('/account/password', body, { cookie }) };
    },
  },
  'POST /account/email/confirm': {
    verb: 'accounts.changeEmail',
    async prepare(site) {
      const { user, cookie } = await site.signUp();
      const email = site.address();
      await site.post('/account/email', { email }, { cookie });
      const body = { email, code: site.mail.lastCode(email) };
      return { userId: user.id, cookie, change: () => site.post('/account/email/confirm', body, { cookie }) };
    },
  },
  'POST /totp/recovery-codes': {
    verb: 'totp.replaceRecoveryCodes',
    async prepare(site) {
      const { user, cookie: first } = await site.signInByCode();
      const { cookie } = await enrolTotp(site, first);
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
      const { cookie } = await enrolTotp(site, first);
      return { userId: user.id, cookie, change: () => site.post('/totp/disable', undefined, { cookie }) };
    },
  },
  'POST /guest/upgrade by a password': {
    verb: 'guests.upgrade',
    async prepare(site) {
      const { user, token } = await site.service.sessionsProvider.createGuest();
      const cookie = `svc_session=${token}`;
      const body = { email: site.address(), password: goodPassword };
      return { userId: user.id, cookie, change: () => site.post('/guest/upgrade', body, { cookie }) };
    },
  },
  'POST /guest/upgrade by a code': {
    verb: 'guests.upgrade',
    async prepare(site) {
      const { user, token } = await site.service.sessionsProvider.createGuest();
      const cookie = `svc_session=${token}`;
      const email = site.address();
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
  const openPro = (once = onceInStorage('before', 'users.findById')) => {
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
      '%s answers 401 token_invalid, changes nothing and starts no session',
      async (_route, { verb, prepare }) => {
        const once = onceInStorage('before', verb);
        const site = await openPro(once);
        const { userId, change } = await prepare(site);
        const { totp, users } = site.adapter;
        const revoke = () => site.service.sessionsProvider.revokeAll(userId);
        once.run = revoke;
        const before = await users.findById(userId);
        const codesBefore = await totp!.countRecoveryCodes(userId);
        const answer = await change();
        expectError(answer, 401, 'token_invalid');
        const { sessionsValidAfter, epoch, ...rest } = (await users.findById(userId))!;
        expect({ ...before, ...rest }).toEqual(before);
        expect([epoch, sessionsValidAfter]).toEqual([before!.epoch + 1, new Date(site.clock.now())]);
        expect(await totp!.countRecoveryCodes(userId)).toBe(codesBefore);
        const live = await site.adapter.sessions.listLive(userId, new Date(site.clock.now()));
        expect(live).toEqual([]);
      },
    );

    it.each(Object.entries(changes).filter(([route]) => !route.startsWith('DELETE')))(
      '%s starts no session if its own session is signed out while it is in flight',
      async (_route, { verb, prepare }) => {
        const once = onceInStorage('before', verb);
        const site = await openPro(once);
        const { userId, change } = await prepare(site);
        const live = () => site.adapter.sessions.listLive(userId, new Date(site.clock.now()));
        once.run = async () => {
          site.clock.advance(1);
          for (const { id } of await live()) await site.service.sessionsProvider.revokeDevice(id);
        };
        expectError(await change(), 401, 'token_invalid');
        expect(await live()).toEqual([]);
      },
    );

    it('does not let a second session survive that disables the same second factor', async () => {
      const once = onceInStorage('before', 'totp.disable');
      const site = await openPro(once);
      const { user, cookie: first } = await site.signInByCode();
      const { cookie } = await enrolTotp(site, first);
      once.run = async () => {
        await site.service.totp.disable(user.id);
      };
      expectError(await site.post('/totp/disable', undefined, { cookie }), 401, 'token_invalid');
      expect(await site.adapter.sessions.listLive(user.id, new Date(site.clock.now()))).toEqual([]);
    });

    it('checks the session again if the body arrived after the sign-out', async () => {
      const site = await openPro();
      const { user, cookie } = await site.signInByCode();
      const body = JSON.stringify({ name: 'Acme' });
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const sent = request(
          {
            host: '127.0.0.1',
            port: site.port,
            method: 'POST',
            path: `${base}/orgs`,
            headers: {
              'Content-Type': 'application/json',
              'Content-Length': Buffer.byteLength(body),
              Cookie: cookie,
            },
          },
          (answer) => {
            answer.resume();
            resolve(answer.statusCode);
          },
        );
        sent.on('error', reject);
        sent.flushHeaders();
        // Long enough for the session to be checked; the request waits for its body.
        setTimeout(() => {
          void site.service.sessionsProvider.revokeAll(user.id).then(() => sent.end(body));
        }, 250);
      });
      expect(status).toBe(401);
      expect(await site.service.orgs.listForUser(user.id)).toEqual([]);
      expect(await isIn(site, cookie)).toBe(false);
    });
  });
}
