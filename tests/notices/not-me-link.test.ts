// The link “This wasn't me” of a notice ends everything that is signed in to the account, once (docs/decisions/notices.md).
// cspell:ignore Konto schützen
import { createPages } from 'svc-auth/pages';
import { outbox } from 'svc-auth/testing';
import { textOf } from '../support/account-pages.js';
import { describeAttacks, type SiteWithProviders } from '../support/full-site.js';
import type { HttpResponse } from '../support/http-client.js';
import { validPassword } from '../support/http-site.js';
import { proofOf, press, submit } from '../support/link-pages.js';
import { enrollTotp, isSignedIn, issueTokens, logIn, totpStepMs } from '../support/site-actions.js';

const baseUrl = 'https://app.test/api/auth/not-me';
const day = 24 * 60 * 60_000;
const dead = 'This link no longer works';
const administrator = { actor: { type: 'system' as const, id: 'support' } };

describeAttacks('The link of a notice', ({ open }) => {
  async function openWithNotices(options: object = {}) {
    const notices = outbox();
    const events: unknown[] = [];
    const site = await open({
      service: { notices: { sender: notices, baseUrl }, ...options },
      after(_app, { service }) {
        service.on('account.secured', (payload) => events.push(payload));
      },
    });
    const linkTo = async (email: string) => {
      await site.settle();
      return linkIn(notices.lastLink(email) ?? site.mail.lastLink(email));
    };
    return { site, notices, events, linkTo };
  }

  /** A user with a verified address and a password. */
  async function person(site: SiteWithProviders) {
    const { email, cookie, user } = await site.signInByCode();
    await site.post('/password/signup', { email, password: validPassword }, { cookie });
    return { email, id: user.id as string, cookie };
  }

  const linkIn = (url: string | undefined) => `/not-me${new URL(url ?? 'missing:').search}`;

  const openAndPress = async (site: SiteWithProviders, link: string) =>
    press(site, link, await site.get(link));

  it('ends every session, refresh family, trusted browser and pending sign-in with its button', async () => {
    const { site, events, linkTo } = await openWithNotices();
    const { email, id, cookie } = await person(site);
    const { refreshToken } = await issueTokens(site, { cookie });
    const enrollment = await enrollTotp(site, cookie);
    const stolen = await logIn(site, email, validPassword);
    const body = { code: enrollment.code(), trustBrowser: true };
    const trusted = await site.post('/mfa/verify', body, { cookie: stolen.cookie('svc_mfa') });
    site.clock.advance(totpStepMs);
    const pending = await logIn(site, email, validPassword);
    const link = await linkTo(email);
    const shown = await site.get(link);
    expect(textOf(shown)).toContain('This signs out every device that is signed in as p');
    expect(textOf(shown)).not.toContain(email);
    expect(await isSignedIn(site, trusted.cookie())).toBe(true);

    const done = await press(site, link, shown);
    expect([done.status, textOf(done)]).toEqual([200, expect.stringContaining('All devices are signed out')]);
    expect(textOf(done)).toContain('Open it to choose a new password.');
    for (const session of [cookie, enrollment.cookie, trusted.cookie()])
      expect(await isSignedIn(site, session)).toBe(false);
    expect((await site.post('/token/refresh', { refreshToken })).status).toBe(401);
    const mfa = { code: enrollment.code() };
    expect((await site.post('/mfa/verify', mfa, { cookie: pending.cookie('svc_mfa') })).status).toBe(401);
    // Neither device is trusted any more.
    const again = await site.post(
      '/password/login',
      { email, password: validPassword },
      { cookie: trusted.cookie('svc_trust') },
    );
    expect(again.json.error).toBe('mfa_required');
    expect(events).toEqual([{ userId: id, next: 'reset' }]);
  });

  it('mails a reset to the address of the notice, with which the user chooses a new password', async () => {
    const { site, linkTo } = await openWithNotices();
    const { email } = await person(site);
    const link = await linkTo(email);
    site.mail.clear();
    await openAndPress(site, link);
    await site.settle();
    expect(site.mail.messages.map(({ to, kind }) => [to, kind])).toEqual([[email, 'password_reset']]);
    const token = site.mailedToken(email);
    const reset = await site.post('/password/reset', {
      ...{ token, newPassword: 'another horse battery', revokeCredentials: true },
    });
    expect(reset.status).toBe(200);
    expect((await logIn(site, email, validPassword)).status).toBe(401);
    expect((await logIn(site, email, 'another horse battery')).status).toBe(200);
  });

  it('mails the reset although strangers have used up the limits of the address', async () => {
    const { site, linkTo } = await openWithNotices();
    const { email } = await person(site);
    const link = await linkTo(email);
    for (let n = 0; n < 12; n += 1) await site.post('/password/request-reset', { email });
    await site.settle();
    site.mail.clear();
    await openAndPress(site, link);
    await site.settle();
    expect(site.mail.messages.map(({ to, kind }) => [to, kind])).toEqual([[email, 'password_reset']]);
  });

  it('mails no reset to a user without a password, who is asked to look at the account', async () => {
    const { site, notices, events, linkTo } = await openWithNotices();
    const { email, cookie, user } = await site.signInByCode();
    await site.send('PUT', '/username', { username: email.split('@')[0]!.replaceAll('-', '_') }, { cookie });
    const link = await linkTo(email);
    site.mail.clear();
    const done = await openAndPress(site, link);
    expect(textOf(done)).toContain('remove anything that you don’t recognize');
    await site.settle();
    expect([site.mail.messages, notices.messages.length]).toEqual([[], 1]);
    expect(events).toEqual([{ userId: user.id, next: 'sign_in' }]);
  });

  it('works once, also with twenty presses at the same time', async () => {
    const { site, events, linkTo } = await openWithNotices();
    const { email, id } = await person(site);
    const link = await linkTo(email);
    const shown = await site.get(link);
    site.mail.clear();
    const answers = await Promise.all(Array.from({ length: 20 }, () => press(site, link, shown)));
    const done = answers.filter((answer) => textOf(answer).includes('All devices are signed out'));
    const ended = answers.filter((answer) => textOf(answer).includes(dead));
    expect([done.length, ended.length]).toEqual([1, 19]);
    await site.settle();
    expect(site.mail.messages).toHaveLength(1);
    expect(events).toEqual([{ userId: id, next: 'reset' }]);
    const { cookie } = await loggedIn(site, email);
    expect(textOf(await site.get(link))).toContain(dead);
    expect(
      textOf(await submit(site, link, proofOf(shown), { cookie: shown.cookie('svc_link_form') })),
    ).toContain(dead);
    expect(await isSignedIn(site, cookie)).toBe(true);
  });

  async function loggedIn(site: SiteWithProviders, email: string, password = validPassword) {
    const response = await logIn(site, email, password);
    expect(response.status).toBe(200);
    return { cookie: response.cookie() };
  }

  it('expires after seven days', async () => {
    const { site, linkTo } = await openWithNotices();
    const { email } = await person(site);
    const link = await linkTo(email);
    const { cookie } = await loggedIn(site, email);
    site.clock.advance(7 * day - 60_000);
    const shown = await site.get(link);
    expect(textOf(shown)).toContain('Secure your Acme account');
    site.clock.advance(60_000);
    expect(textOf(await press(site, link, shown))).toContain(dead);
    expect(textOf(await site.get(link))).toContain(dead);
    expect(cookie).toMatch(/^svc_session=/);
  });

  it('stays valid whatever an attacker changes: password, sign-outs and another reset', async () => {
    const { site, linkTo } = await openWithNotices();
    const { email, id, cookie } = await person(site);
    const link = await linkTo(email);
    const body = { currentPassword: validPassword, newPassword: 'the horse of an attacker' };
    expect((await site.post('/account/password', body, { cookie })).status).toBe(200);
    await site.service.sessionsProvider.revokeAll(id);
    await site.post('/password/request-reset', { email });
    await site.settle();
    await site.post('/password/reset', { token: site.mailedToken(email), newPassword: 'one more horse' });
    const attacker = await loggedIn(site, email, 'one more horse');
    expect(textOf(await openAndPress(site, link))).toContain('All devices are signed out');
    expect(await isSignedIn(site, attacker.cookie)).toBe(false);
  });

  it('to a former address ends the sessions, mails no reset and refers to the support', async () => {
    const { site, events, linkTo } = await openWithNotices();
    const { email: old, id, cookie } = await person(site);
    const email = site.uniqueEmail();
    await site.post('/account/email', { email }, { cookie });
    const codes = { code: site.mail.lastCode(email), currentCode: site.mail.lastCode(old) };
    const changed = await site.post('/account/email/confirm', { email, ...codes }, { cookie });
    await site.settle();
    const link = linkIn(site.mail.lastLink(old));
    expect(await isSignedIn(site, changed.cookie())).toBe(true);
    site.mail.clear();
    const done = await openAndPress(site, link);
    expect(textOf(done)).toContain('This email address no longer belongs to the account.');
    expect(await isSignedIn(site, changed.cookie())).toBe(false);
    await site.settle();
    expect(site.mail.messages).toEqual([]);
    expect(events).toEqual([{ userId: id, next: 'address_changed' }]);
    expect(await linkTo(email)).not.toBe(link);
  });

  it('mails nothing to the owner of a former address that has another account by now', async () => {
    const { site, linkTo } = await openWithNotices();
    const { email: old, id } = await person(site);
    const link = await linkTo(old);
    await site.service.users.update(id, { email: site.uniqueEmail(), emailVerified: true }, administrator);
    const other = await site.signInByCode(old);
    site.mail.clear();
    expect(textOf(await openAndPress(site, link))).toContain('no longer belongs to the account');
    await site.settle();
    expect(site.mail.messages).toEqual([]);
    expect(await isSignedIn(site, other.cookie)).toBe(true);
  });

  it('ends nothing after the account was deleted, also if its address has a new one', async () => {
    const { site, events, linkTo } = await openWithNotices();
    const { email, id } = await person(site);
    const link = await linkTo(email);
    await site.service.account.deleteUser(id);
    expect(textOf(await site.get(link))).toContain(dead);
    const { cookie } = await site.signInByCode(email);
    expect(textOf(await site.get(link))).toContain(dead);
    expect(await isSignedIn(site, cookie)).toBe(true);
    expect(events).toEqual([]);
  });

  it('of a blocked user ends nothing more and mails no reset', async () => {
    const { site, linkTo } = await openWithNotices();
    const { email, id } = await person(site);
    const link = await linkTo(email);
    await site.service.users.block(id, {}, administrator);
    site.mail.clear();
    await openAndPress(site, link);
    await site.settle();
    expect(site.mail.messages).toEqual([]);
    expect((await logIn(site, email, validPassword)).json.error).toBe('user_blocked');
  });

  it('that is forged, repeated, of another purpose or absent shows that it does not work', async () => {
    const { site, events, linkTo } = await openWithNotices();
    const { email, cookie } = await person(site);
    const link = await linkTo(email);
    await site.post('/magic-link/send', { email });
    const magic = site.mailedToken(email);
    const forged = [
      '/not-me',
      '/not-me?token=',
      '/not-me?token=x.y',
      `${link}x`,
      `${link}&${link.split('?')[1]}`,
      `/not-me?token=${magic}`,
    ];
    for (const path of forged) expect(textOf(await site.get(path))).toContain(dead);
    const token = link.split('token=')[1]!;
    expect((await site.get(`/magic-link/verify?token=${token}`)).location).toContain('token_invalid');
    const reset = { token, newPassword: 'another horse battery' };
    expect((await site.post('/password/reset', reset)).status).not.toBe(200);
    expect([events, await isSignedIn(site, cookie)]).toEqual([[], true]);
  });

  const refused: Record<
    string,
    (site: SiteWithProviders, link: string, shown: HttpResponse) => Promise<unknown>
  > = {
    'a HEAD request': (site, link) => site.send('HEAD', link),
    'a prefetch': (site, link) =>
      site.send('GET', link, undefined, { headers: { 'Sec-Purpose': 'prefetch' } }),
    'a form without its proof': (site, link, shown) =>
      submit(site, link, '', { cookie: shown.cookie('svc_link_form') }),
    'a form in another browser': (site, link, shown) => submit(site, link, proofOf(shown)),
    'a form of another site': (site, link, shown) =>
      submit(site, link, proofOf(shown), {
        cookie: shown.cookie('svc_link_form'),
        headers: { 'Sec-Fetch-Site': 'cross-site' },
      }),
    'a form that a script has submitted': (site, link, shown) =>
      submit(site, link, proofOf(shown), {
        cookie: shown.cookie('svc_link_form'),
        headers: {
          'Sec-CH-UA': '"Chromium";v="138"',
          'Sec-Fetch-Mode': 'navigate',
          'Sec-Fetch-Site': 'same-origin',
        },
      }),
    'a body that is not a form': (site, link, shown) =>
      site.send('POST', link, { proof: proofOf(shown) }, { cookie: shown.cookie('svc_link_form') }),
  };

  it.each(Object.entries(refused))('ends nothing with %s', async (_name, send) => {
    const { site, events, linkTo } = await openWithNotices();
    const { email, cookie } = await person(site);
    const link = await linkTo(email);
    await send(site, link, await site.get(link));
    expect([events, await isSignedIn(site, cookie)]).toEqual([[], true]);
    expect(textOf(await openAndPress(site, link))).toContain('All devices are signed out');
  });

  it('is not a route without the option', async () => {
    const site = await open();
    expect((await site.get('/not-me?token=x')).status).toBe(404);
  });

  it('has a page in the language of the browser, which runs no script and does not contain the link', async () => {
    const { site, linkTo } = await openWithNotices();
    const { email } = await person(site);
    const link = await linkTo(email);
    const page = await site.get(link, { headers: { 'Accept-Language': 'de' } });
    expect(textOf(page)).toContain('Konto bei Acme schützen');
    expect(page.text).not.toContain(link.split('token=')[1]!);
    expect(page.text).not.toMatch(/<script|\son\w+=/);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
  });

  it('has a page of the pages, with the menu of languages and a template of the application', async () => {
    const notices = outbox();
    const site = await open({
      service: { notices: { sender: notices, baseUrl } },
      after(app, { service }) {
        app.use('/app', createPages(service, { name: 'Acme', basePath: '/app' }));
      },
    });
    const { email } = await person(site);
    await site.settle();
    const link = linkIn(notices.lastLink(email));
    const page = await site.get(link);
    expect(page.text).toMatch(/<link rel="stylesheet" href="\/app\/assets\/pages-\w+\.css"/);
    expect(page.text).not.toMatch(/<script|<style|\sstyle=|\son\w+=/);
    expect(page.headers['content-security-policy']).not.toContain('script-src');
    const cookie = page.cookie('svc_link_form');
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const body = `proof=${proofOf(page)}&language=de`;
    const german = await site.send('POST', link, body, { cookie, headers: type });
    expect(textOf(german)).toContain('Konto bei Acme schützen');
    const done = await press(site, link, page);
    expect(textOf(done)).toContain('All devices are signed out');
    expect(done.text).toContain('href="/app/sign-in"');
    expect(textOf(await site.get(link))).toContain(dead);
  });
});
