/** Attacks on the pages for sign-in: forms of other sites, skipped steps, challenges, markup, and redirects that lead away. */
import { solveProofOfWork } from 'svc-auth/client';
import { createPages, html, type PagesOptions } from 'svc-auth/pages';
import { outbox, smsOutbox } from 'svc-auth/testing';
import { encryptionKey, origin } from '../../support/every-provider.js';
import { validPassword as password, type SiteOptions } from '../../support/http-site.js';
import { license } from '../../support/make-pro-service.js';
import { pageVisitor } from '../../support/page-visitor.js';
import { enrollTotp } from '../../support/site-actions.js';
import type { OpenSite } from '../matrix.js';

const byScript = { 'Svc-Pages': '1' };
let hosts = 0;
/** Each test uses another client, because limits outlive a site. */
const newHost = () => ({
  'X-Forwarded-For': `198.18.${Math.floor((hosts += 1) / 250)}.${(hosts % 250) + 1}`,
});

export function signInPageAttacks(open: OpenSite): void {
  async function openPages(
    service: NonNullable<SiteOptions['service']> = {},
    options: Partial<PagesOptions> = {},
  ) {
    const site = await open({
      pro: true,
      trustProxy: true,
      service: { ...license, encryptionKey, ...service },
      after(app, test) {
        app.use('/app', createPages(test.service, { name: 'Acme', ...options }));
      },
    });
    return { site, browser: pageVisitor(site) };
  }

  const everything = () => {
    const mail = outbox();
    return {
      mail,
      providers: {
        totp: { sender: mail, email: true },
        phoneOtp: { sender: smsOutbox() },
        sessions: true as const,
        webauthn: {
          rpId: 'app.test',
          origins: [origin],
          secondFactor: true,
          signUp: { address: 'verified' as const, sender: mail },
        },
      },
    };
  };

  const forms = [
    '/sign-in',
    '/sign-in/password',
    '/sign-in/password/use-code',
    '/sign-in/code',
    '/sign-in/code/again',
    '/sign-in/link/again',
    '/sign-in/phone',
    '/sign-in/phone/code',
    '/sign-up',
    '/sign-up/code',
    '/sign-up/passkey',
    '/sign-up/passkey/code',
    '/two-factor',
    '/two-factor/recovery',
    '/two-factor/email',
    '/two-factor/email/send',
    '/two-factor/passkey',
    '/reset',
    '/reset/choose',
  ];

  describe('the forms of the sign-in pages', () => {
    it('every form without the token of this browser is refused, and sends nothing', async () => {
      const { site, browser } = await openPages(everything());
      const email = site.uniqueEmail();
      await browser.get('/app/sign-in');
      for (const form of forms) {
        const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
        const body = new URLSearchParams({ email, code: '123456', password, form_token: 'x'.repeat(22) });
        const response = await site.send('POST', `/app${form}`, body.toString(), { headers });
        expect([form, response.status < 400 && response.location === undefined]).toEqual([form, false]);
        expect([form, response.cookies.some(({ name }) => name === 'svc_session')]).toEqual([form, false]);
      }
      expect(site.mail.messages).toEqual([]);
    });

    it('every form of another site is refused with 403', async () => {
      const { browser } = await openPages(everything());
      await browser.get('/app/sign-in');
      const evil = { Origin: 'https://evil.test', 'Sec-Fetch-Site': 'cross-site' };
      const page = await browser.submit({ email: 'ada@example.com' }, evil);
      expect(page.status).toBe(403);
    });

    it('what a form carries from step to step leads to no other site', async () => {
      const { site, browser } = await openPages();
      const { user } = await site.signUp();
      for (const flow_next of ['https://evil.test', '//evil.test', '/\\evil.test', 'javascript:alert(1)']) {
        browser.forget();
        await browser.get('/app/sign-in');
        await browser.submit({ email: user.email as string, flow_next });
        await browser.follow();
        expect(await browser.submit({ password, flow_next })).toMatchObject({ status: 303, location: '/' });
      }
    });

    it('no typed value becomes markup, on any step', async () => {
      const { browser } = await openPages({ ...everything(), usernames: { enabled: true } });
      const attack = '"><script>alert(1)</script>';
      await browser.get(`/app/sign-in?next=${encodeURIComponent(`/${attack}`)}`);
      const pages = [await browser.submit({ email: attack }), await browser.follow()];
      await browser.get('/app/sign-up');
      pages.push(await browser.submit({ email: attack, username: attack, password, flow_email: attack }));
      await browser.get('/app/sign-in/phone');
      pages.push(await browser.submit({ phone: attack }));
      for (const page of pages) expect(page.text).not.toContain('<script>alert');
    });
  });

  describe('the second step of the sign-in pages', () => {
    it('no other page starts a session between the two steps', async () => {
      const { site, browser } = await openPages(everything());
      const { email, cookie } = await site.signInByCode();
      await site.post('/password/signup', { email, password }, { cookie });
      await enrollTotp(site, cookie);
      await browser.get('/app/sign-in');
      await browser.submit({ email });
      await browser.get('/app/sign-in/password');
      await browser.submit({ password });
      for (const page of [
        '/sign-in/done',
        '/verify',
        '/account/profile',
        '/sign-in',
        '/sign-up',
        '/two-factor',
      ]) {
        await browser.get(`/app${page}`);
        expect([page, browser.cookieNames().includes('svc_session')]).toEqual([page, false]);
      }
      expect((await browser.get('/app/sign-in/link/status')).status).toBe(204);
      // Methods that this account has not chosen.
      for (const method of ['email', 'passkey'])
        expect(await browser.get(`/app/two-factor/${method}`)).toMatchObject({ location: '/app/two-factor' });
    });

    it('a pending sign-in that has expired leads to the beginning', async () => {
      const { site, browser } = await openPages(everything());
      const { email, cookie } = await site.signInByCode();
      await site.post('/password/signup', { email, password }, { cookie });
      await enrollTotp(site, cookie);
      await browser.get('/app/sign-in');
      await browser.submit({ email });
      await browser.get('/app/sign-in/password');
      await browser.submit({ password });
      site.clock.advance(60 * 60_000);
      expect(await browser.get('/app/two-factor')).toMatchObject({
        location: '/app/sign-in?error=sign_in_expired',
      });
    });
  });

  describe('the challenge of the sign-in pages', () => {
    const challenge = { after: 0, cost: 1 };

    it('a script gets the challenge, solves it, and sends the form again', async () => {
      const { site, browser } = await openPages({ signUp: { challenge } });
      const from = newHost();
      const email = site.uniqueEmail();
      await browser.get('/app/sign-up');
      const asked = await browser.submit({ email, password }, { ...byScript, ...from });
      expect([asked.status, asked.headers['svc-challenge']]).toEqual([403, 'proof-of-work']);
      const solution = await solveProofOfWork(asked.json as never);
      await browser.get('/app/sign-up');
      const fields = { email, password, challenge_solution: solution };
      const done = await browser.submit(fields, { ...byScript, ...from });
      expect(done.headers['svc-location']).toBe('/');
      browser.forget();
      await browser.get('/app/sign-up');
      // A solution counts once.
      const again = await browser.submit({ ...fields, email: site.uniqueEmail() }, { ...byScript, ...from });
      expect(again.status).toBe(403);
    });

    it('without a script, the page says what it needs, and contains no password', async () => {
      const { site, browser } = await openPages({ signUp: { challenge } });
      await browser.get('/app/sign-up');
      const page = await browser.submit({ email: site.uniqueEmail(), password }, newHost());
      expect(page.status).toBe(403);
      expect(page.text).toContain('Turn JavaScript on, or try again later.');
      expect(page.text).not.toContain(password);
    });

    it('the captcha of the application has a separate page, and only that page allows its origin', async () => {
      const provider = {
        create: () => ({ type: 'captcha', siteKey: 'site-key"><b>' }),
        verify: (solution: string) =>
          solution === 'right' ? { id: `${Math.random()}`, expiresAt: new Date('9999-01-01') } : null,
      };
      const captcha = {
        field: 'captcha-answer',
        origins: ['https://captcha.test'],
        render: ({ siteKey }: Readonly<Record<string, unknown>>) =>
          html`<script src="https://captcha.test/api.js" async></script>
            <div data-sitekey="${String(siteKey)}"></div>
            <input name="captcha-answer" />`,
      };
      const { site, browser } = await openPages(
        { signUp: { challenge: { after: 0, provider } } },
        { captcha, firstMethod: 'code' },
      );
      const from = newHost();
      const email = site.uniqueEmail();
      const start = await browser.get('/app/sign-in');
      expect(start.headers['content-security-policy']).not.toContain('captcha.test');
      const script = await browser.submit({ email }, { ...byScript, ...from });
      expect(script.headers['svc-challenge']).toBe('page');
      await browser.get('/app/sign-in');
      const page = await browser.submit({ email }, from);
      const policy = page.headers['content-security-policy'] as string;
      expect(policy).toContain("script-src 'self' https://captcha.test;");
      expect(policy).toContain("form-action 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|trusted-types/);
      expect(page.text).toContain('data-sitekey="site-key&#34;&#62;&#60;b&#62;"');
      const wrong = await browser.submit({ 'captcha-answer': 'wrong' }, from);
      expect(wrong.text).toContain('The check wasn’t completed. Try again.');
      const right = await browser.submit({ 'captcha-answer': 'right' }, from);
      expect(right).toMatchObject({ status: 303, location: '/app/sign-in/code' });
      expect(site.mail.lastCode(email)).toBeDefined();
    });

    it('createPages throws config_invalid for origins that would change the policy', async () => {
      const { site } = await openPages();
      for (const origins of [
        ["'unsafe-inline'"],
        ['https://a.test; script-src *'],
        ['https://a.test/path'],
        '*',
      ])
        expect(() =>
          createPages(site.service, {
            name: 'Acme',
            captcha: { field: 'f', origins: origins as never, render: () => html`` },
          }),
        ).toThrow(expect.objectContaining({ code: 'config_invalid' }));
    });
  });
}
