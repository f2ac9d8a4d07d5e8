/** `magicLink.withCode`: one mail with a link and a code, of which the first that is used ends the other. */
import { codeAt } from '../../support/authenticator-app.js';
import { encryptionKey } from '../../support/every-provider.js';
import { validPassword, type Site, type SiteOptions } from '../../support/http-site.js';
import { askForLink } from '../../support/link-pages.js';
import { license } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectRedirect, isoDate, userLike } from './expect.js';

const minute = 60_000;
const wrong = (code: string) => (code === '000000' ? '000001' : '000000');

export function linksWithCodes(open: OpenSite): void {
  const openSite = ({ service, ...options }: SiteOptions = {}) => {
    const { providers, ...overrides } = service ?? {};
    const all = { ...providers, magicLink: { withCode: true } };
    return open({ ...options, service: { ...overrides, providers: all } });
  };
  const enter = (site: Site, email: string, code: string, route = '/magic-link/verify-code') =>
    site.post(route, { email, code });

  describe('links with codes', () => {
    it('POST /magic-link/send mails a link and a code, and returns when each expires', async () => {
      const site = await openSite();
      const email = site.uniqueEmail();
      const response = await site.post('/magic-link/send', { email });
      const times = {
        expiresAt: expect.stringMatching(isoDate),
        codeExpiresAt: expect.stringMatching(isoDate),
      };
      expect(response.json).toEqual(times);
      const [link, code] = ['expiresAt', 'codeExpiresAt'].map(
        (name) => Date.parse(response.json[name]) - site.clock.now(),
      );
      expect([link, code]).toEqual([15 * minute, 10 * minute]);
      const mails = site.mail.messages.filter(({ to }) => to === email);
      expect(mails).toHaveLength(1);
      const mailedCode = site.mail.lastCode(email)!;
      expect(mails[0]!.text).toContain(site.mailedToken(email));
      for (const part of [mails[0]!.text, mails[0]!.html, mails[0]!.subject])
        expect(part).toContain(mailedCode);
      expect(mails[0]!.text).toContain('The link expires in 15 minutes and the code in 10 minutes.');
    });

    it('the code signs in, creates the user, and ends the link', async () => {
      const site = await openSite();
      const { email, link, code } = await askForLink(site);
      const response = await enter(site, email, code);
      expect(response.json).toEqual({ user: userLike({ email, emailVerified: true }), created: true });
      expectRedirect(await site.get(link), '/?error=token_invalid');
      expectError(await enter(site, email, code), 401, 'code_not_found');
      expect((await site.get('/session', { cookie: response.cookie() })).status).toBe(200);
    });

    it('the link signs in and ends the code, also for wrong guesses', async () => {
      const site = await openSite();
      const { email, link, code } = await askForLink(site);
      expectRedirect(await site.get(link), '/', { signedIn: true });
      for (const guess of [code, wrong(code)])
        expectError(await enter(site, email, guess), 401, 'code_not_found');
    });

    it('a code is accepted only by the route of its own mail', async () => {
      const site = await openSite();
      const { email, code } = await askForLink(site);
      await site.post('/email-code/send', { email });
      const emailCode = site.mail.lastCode(email)!;
      if (emailCode !== code) {
        expectError(await enter(site, email, code, '/email-code/verify'), 401, 'code_invalid');
        expectError(await enter(site, email, emailCode), 401, 'code_invalid');
      }
      expect((await enter(site, email, code)).status).toBe(200);
      expect((await enter(site, email, emailCode, '/email-code/verify')).status).toBe(200);
    });

    // two budgets would double an attacker's guesses at one mailbox.
    it('wrong codes of links and email codes count together', async () => {
      const site = await openSite();
      const { email, code } = await askForLink(site);
      await site.post('/email-code/send', { email });
      const emailCode = site.mail.lastCode(email)!;
      for (let i = 0; i < 5; i += 1)
        expectError(await enter(site, email, wrong(emailCode), '/email-code/verify'), 401, 'code_invalid');
      for (let i = 0; i < 5; i += 1) expectError(await enter(site, email, wrong(code)), 401, 'code_invalid');
      await askForLink(site, email);
      const answer = await enter(site, email, site.mail.lastCode(email)!);
      expect([answer.status, answer.json.error]).toEqual([429, 'rate_limit_exceeded']);
    });

    it('guesses of a stranger use up the code, and the link remains valid', async () => {
      const site = await openSite();
      const { email, link, code } = await askForLink(site);
      for (let i = 0; i < 5; i += 1) expectError(await enter(site, email, wrong(code)), 401, 'code_invalid');
      expectError(await enter(site, email, code), 401, 'max_attempts_exceeded');
      expectRedirect(await site.get(link), '/', { signedIn: true });
    });

    it('a second mail replaces the code, and the earlier link remains valid until it is used', async () => {
      const site = await openSite();
      const first = await askForLink(site);
      const second = await askForLink(site, first.email);
      if (first.code !== second.code)
        expectError(await enter(site, first.email, first.code), 401, 'code_invalid');
      expectRedirect(await site.get(first.link), '/', { signedIn: true });
      expect((await enter(site, first.email, second.code)).status).toBe(200);
      expectRedirect(await site.get(second.link), '/?error=token_invalid');
    });

    it('the code expires after code.ttlMs, at the latest with the link', async () => {
      const site = await openSite();
      const { email, link, code } = await askForLink(site);
      site.clock.advance(10 * minute);
      expectError(await enter(site, email, code), 401, 'code_expired');
      expectRedirect(await site.get(link), '/', { signedIn: true });
      const short = await open({
        service: { code: { ttlMs: 60 * minute }, providers: { magicLink: { withCode: true } } },
      });
      const mail = await short.post('/magic-link/send', { email: short.uniqueEmail() });
      expect(mail.json.codeExpiresAt).toBe(mail.json.expiresAt);
    });

    it('an account with a second factor gets mfa_required and no session for the code', async () => {
      const site = await openSite({
        service: { ...license, encryptionKey, providers: { totp: true } },
        pro: true,
      });
      const { email, user } = await site.signInByCode();
      const { secret } = await site.service.totp.beginEnrollment(user.id);
      await site.service.totp.confirmEnrollment(user.id, codeAt(secret, site.clock.now()));
      const { code, link } = await askForLink(site, email);
      const refused = await enter(site, email, code);
      expect([refused.status, refused.json.error]).toEqual([403, 'mfa_required']);
      expect(refused.cookies.map(({ name }) => name)).toEqual(['svc_mfa']);
      expectRedirect(await site.get(link), '/?error=token_invalid');
    });

    it('the code claims an unverified account of its address', async () => {
      const site = await openSite();
      const { email, cookie } = await site.signUp();
      const { code } = await askForLink(site, email);
      expect((await enter(site, email, code)).json.created).toBe(false);
      expectError(await site.get('/session', { cookie }), 401, 'token_invalid');
      const login = { email, password: validPassword };
      expectError(await site.post('/password/login', login), 401, 'invalid_credentials');
    });

    it('a mail that cannot be sent leaves neither a code nor a link', async () => {
      const sent: string[] = [];
      const sender = {
        async send({ text }: { text: string }) {
          sent.push(text);
          throw new Error('the mail server is unreachable');
        },
      };
      const site = await open({ service: { providers: { magicLink: { withCode: true, sender } } } });
      const email = site.uniqueEmail();
      expectError(await site.post('/magic-link/send', { email }), 500, 'email_send_failed');
      const [text = ''] = sent;
      expectError(await enter(site, email, /^\d{6}$/m.exec(text)![0]), 401, 'code_not_found');
      const { search } = new URL(/https?:\S+/.exec(text)![0]);
      expectRedirect(await site.get(`/magic-link/verify${search}`), '/?error=token_invalid');
    });

    it('an address that may not sign up gets the same responses as any other', async () => {
      const site = await openSite({ service: { signUp: { enabled: false } } });
      const email = site.uniqueEmail();
      const known = await openSite().then((other) => other.signInByCode());
      for (const address of [email, known.email]) {
        const response = await site.post('/magic-link/send', { email: address });
        expect([response.status, Object.keys(response.json)]).toEqual([200, ['expiresAt', 'codeExpiresAt']]);
        const guess = await enter(site, address, '000000');
        if (guess.status !== 200) expectError(guess, 401, 'code_invalid');
      }
      expect(site.mail.messages.filter(({ to }) => to === email).map(({ kind }) => kind)).toEqual([
        'sign_up_refused',
      ]);
    });

    it('without withCode the mail has no code, and POST /magic-link/verify-code returns 501', async () => {
      const site = await open();
      const email = site.uniqueEmail();
      const response = await site.post('/magic-link/send', { email });
      expect(response.json).toEqual({ expiresAt: expect.stringMatching(isoDate) });
      expect(response.cookies).toEqual([]);
      expect(site.mail.lastCode(email)).toBeUndefined();
      expectError(await enter(site, email, '123456'), 501, 'provider_not_configured');
    });
  });
}
