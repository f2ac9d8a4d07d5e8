/** Addresses that users verify after a sign-up with a password: `emailPassword.verifyEmail`. */
import type { Express } from 'express';
import { outbox } from 'svc-auth/testing';
import { requireOrgRole, requireRole, requireSession } from 'svc-auth';
import type { Site } from '../../support/http-site.js';
import type { TestService } from '../../support/make-service.js';
import type { OpenSite } from '../matrix.js';
import { expectError } from './expect.js';

const hour = 60 * 60_000;

function pages(app: Express, { service }: TestService): void {
  const respond = (_req: unknown, res: { json: (body: object) => void }) => void res.json({});
  app.get('/app/usual', requireSession(service), respond);
  app.get('/app/verified', requireSession(service, { verified: true }), respond);
  app.get('/app/any', requireSession(service, { verified: false }), respond);
  app.get('/app/role', requireRole(service, 'editor'), respond);
  app.get('/app/org', requireOrgRole(service, { min: 'member', org: () => 'unknown' }), respond);
}

export function emailRequirement(open: OpenSite): void {
  const openSite = (emailPassword: object) => {
    const mail = outbox();
    return open({
      before: pages,
      service: { mail, providers: { emailPassword: { sender: mail, ...emailPassword } } },
    });
  };
  const statusOf = async (site: Site, page: string, cookie: string) => {
    const { status, json } = await site.send('GET', `/app/${page}`, undefined, { cookie });
    return status === 200 ? 'ok' : json.error;
  };

  describe('the verification of addresses after a sign-up', () => {
    it.each(['send', 'require'])(
      'with %s, a sign-up mails a code that verifies the address',
      async (verifyEmail) => {
        const site = await openSite({ verifyEmail });
        const { email, cookie, user } = await site.signUp();
        await site.settle();
        expect(site.mail.messages.filter(({ to }) => to === email)).toMatchObject([{ kind: 'email_code' }]);
        expect(await statusOf(site, 'verified', cookie)).toBe('email_unverified');
        const code = site.mail.lastCode(email);
        const response = await site.post('/password/verify-email', { code }, { cookie });
        expect(response.json.user).toMatchObject({ id: user.id, emailVerified: true });
        for (const page of ['verified', 'usual', 'any'])
          expect(await statusOf(site, page, cookie)).toBe('ok');
        // Nothing else changed: the session and the password remain.
        const login = await site.post('/password/login', { email, password: 'correct horse battery' });
        expect(login.json.user.id).toBe(user.id);
      },
    );

    it('another code can be requested, until the address is verified', async () => {
      const site = await openSite({ verifyEmail: 'send' });
      const { email, cookie } = await site.signUp();
      await site.settle();
      const first = site.mail.lastCode(email);
      const sent = await site.post('/password/verify-email/send', {}, { cookie });
      expect(Date.parse(sent.json.expiresAt)).toBe(site.clock.now() + 10 * 60_000);
      const code = site.mail.lastCode(email);
      expect(code).not.toBe(first);
      await site.post('/password/verify-email', { code }, { cookie });
      const again = await site.post('/password/verify-email/send', {}, { cookie });
      expect(again.json).toEqual({ expiresAt: null });
    });

    it('the code of one user does not verify another', async () => {
      const site = await openSite({ verifyEmail: 'send' });
      const [ada, eve] = [await site.signUp(), await site.signUp()];
      await site.settle();
      const body = { code: site.mail.lastCode(ada.email) };
      const response = await site.post('/password/verify-email', body, { cookie: eve.cookie });
      expect(response.status).not.toBe(200);
      expect(await statusOf(site, 'verified', eve.cookie)).toBe('email_unverified');
    });

    it('with require, every guard refuses unverified users when the grace time has passed', async () => {
      const site = await openSite({ verifyEmail: 'require', verifyGraceMs: hour });
      const { email, cookie, user } = await site.signUp();
      await site.service.users.update(user.id, { roles: ['editor'] });
      await site.settle();
      for (const page of ['usual', 'role']) expect(await statusOf(site, page, cookie)).toBe('ok');
      site.clock.advance(hour);
      for (const page of ['usual', 'role', 'org', 'verified'])
        expect([page, await statusOf(site, page, cookie)]).toEqual([page, 'email_unverified']);
      expect(await statusOf(site, 'any', cookie)).toBe('ok');
      // The page of the code can ask who is signed in, request a code, and sign out.
      expect((await site.get('/session', { cookie })).json.user.id).toBe(user.id);
      await site.post('/password/verify-email/send', {}, { cookie });
      await site.post('/password/verify-email', { code: site.mail.lastCode(email) }, { cookie });
      expect(await statusOf(site, 'usual', cookie)).toBe('ok');
    });

    it('with require and no grace time, a user is refused from the sign-up on; one who proved the mailbox is not', async () => {
      const site = await openSite({ verifyEmail: 'require' });
      const { cookie } = await site.signUp();
      expect(await statusOf(site, 'usual', cookie)).toBe('email_unverified');
      const proven = await site.signInByCode();
      expect(await statusOf(site, 'usual', proven.cookie)).toBe('ok');
    });

    it('users without an address are refused only where a verified one is required', async () => {
      const site = await openSite({ verifyEmail: 'require' });
      const { id } = await site.service.users.create({ username: `u${Date.now().toString(36)}` });
      const { token } = site.service.createSessionToken(id);
      const headers = { authorization: `Bearer ${token}` };
      const page = async (name: string) =>
        (await site.send('GET', `/app/${name}`, undefined, { headers })).status;
      expect([await page('usual'), await page('verified')]).toEqual([200, 403]);
    });

    it('by default, no code is mailed, and the routes respond with provider_not_configured', async () => {
      const site = await openSite({});
      const { email, cookie } = await site.signUp();
      await site.settle();
      expect(site.mail.messages.filter(({ to }) => to === email)).toEqual([]);
      expect(await statusOf(site, 'usual', cookie)).toBe('ok');
      const sent = await site.post('/password/verify-email/send', {}, { cookie });
      expectError(sent, 501, 'provider_not_configured');
    });

    it('a failed mail does not fail the sign-up', async () => {
      const failing = { send: async () => Promise.reject(new Error('no connection')) };
      const site = await open({
        service: { providers: { emailPassword: { sender: failing, verifyEmail: 'send' } } },
      });
      const { status } = await site.post('/password/signup', {
        email: site.uniqueEmail(),
        password: 'correct horse battery',
      });
      await site.settle();
      expect(status).toBe(200);
    });
  });
}
