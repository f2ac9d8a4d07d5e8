// What has happened to the account, on its own page: with the option audit, newest first.
import type { AuditActivity } from 'svc-auth';
import { sentenceOf } from '../../src/pages/account/activity-sentences.js';
import type { AccountVisit } from '../../src/pages/account/page.js';
import { en } from '../../src/pages/texts/en.js';
import { accountPagesOpener, accountPath, textOf } from '../support/account-pages.js';
import { guessPassword } from '../support/guesses.js';
import { validPassword } from '../support/http-site.js';

const openAccount = accountPagesOpener();
const audited = { audit: true } as const;

const rowsOf = (text: string) =>
  text
    .split('<li class="entry">')
    .slice(1)
    .map((each) =>
      each
        .split('</li>')[0]!
        .replace(/<svg[^]*?<\/svg>|<[^>]+>/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
    );

describe('the activity', () => {
  it('says how the user signed in, with the browser, the place and the address', async () => {
    const { me, open, site } = await openAccount({
      site: { service: { ...audited, locate: () => 'Hamburg, Germany' } },
    });
    site.clock.advance(2 * 60 * 60_000);
    const headers = { 'User-Agent': 'Mozilla/5.0 (X11; Linux) Firefox/130.0' };
    await site.post('/password/login', { email: me.email, password: validPassword }, { headers });
    const page = await open('/activity');
    const [latest] = rowsOf(page.text);
    expect(latest).toMatch(
      /^You signed in with a password Firefox on Linux · Hamburg, Germany · [\w.:]+ · now/,
    );
    expect(rowsOf(page.text).at(-1)).toMatch(/^Account created .*2 hours ago/);
    expect(page.text).toContain(`href="${accountPath}/devices"`);
    expect(textOf(page)).toContain('Secure your account');
  });

  it('names an administrator who made a change, without the id and the address of the administrator', async () => {
    const { me, open, another, site } = await openAccount({ site: { service: audited } });
    const { account: administrator } = await another();
    const actor = { type: 'user', id: administrator.user.id as string } as const;
    await site.service.users.update(me.user.id as string, { roles: ['editor'] }, { actor });
    const page = await open('/activity');
    expect(rowsOf(page.text)[0]).toMatch(/^Account details changed By an administrator now/);
    expect(page.text).not.toContain(administrator.user.id as string);
  });

  it('marks a sign-in that failed', async () => {
    const { me, open, site } = await openAccount({ site: { service: audited } });
    await site.post('/password/login', { email: me.email, password: 'another wrong password' });
    expect(rowsOf((await open('/activity')).text)[0]).toMatch(
      /^A sign-in failed By someone who was not signed in Check this now/,
    );
  });

  it('says that someone who was not signed in has tried, and how often', async () => {
    const { me, open, site } = await openAccount({ site: { service: audited } });
    const userId = me.user.id as string;
    await guessPassword(site.service, userId, 1_500);
    const counted = async () => {
      const { activity } = await site.service.audit.listActivity(userId);
      const failed = activity.filter(({ action }) => action === 'sign_in.failed');
      expect(new Set(failed.map(({ by }) => by))).toEqual(new Set(['unknown']));
      return failed.map(({ count }) => count);
    };
    expect(new Set(await counted())).toEqual(new Set([1]));
    site.clock.advance(60_000);
    await guessPassword(site.service, userId, 1);
    const counts = await counted();
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1_501);
    const rows = rowsOf((await open('/activity')).text);
    const largest = new Intl.NumberFormat('en').format(Math.max(...counts));
    expect(rows).toContainEqual(
      expect.stringContaining(`A sign-in failed By someone who was not signed in Attempts: ${largest} `),
    );
    expect(rows.filter((row) => row.includes('Attempts'))).toHaveLength(
      counts.filter((count) => count > 1).length,
    );
  });

  it('has further pages, which follow the cursor', async () => {
    const { browser, me, open, site } = await openAccount({ site: { service: audited } });
    const { users } = site.service;
    for (let round = 0; round < 26; round++) {
      await users.block(me.user.id as string);
      await users.unblock(me.user.id as string);
    }
    const { cookie } = await site.signInByCode(me.email);
    browser.adopt(cookie);
    const first = await open('/activity');
    expect(rowsOf(first.text)).toHaveLength(50);
    const [, next] = /href="([^"]*\?activity=[^"]*)"/.exec(first.text) ?? [];
    const second = await browser.get(next!);
    expect(rowsOf(second.text).at(-1)).toMatch(/^Account created/);
    expect(textOf(second)).toContain('Back to the first page');
  });

  it('shows no records of other users', async () => {
    const { open, another, site } = await openAccount({ site: { service: audited } });
    const before = rowsOf((await open('/activity')).text).length;
    const { account: other } = await another();
    await site.service.users.block(other.user.id as string);
    expect(rowsOf((await open('/activity')).text)).toHaveLength(before);
  });

  it('is not offered without the option audit', async () => {
    const { browser } = await openAccount();
    const profile = await browser.get(`${accountPath}/profile`);
    expect(profile.text).not.toContain(`${accountPath}/activity`);
    expect((await browser.get(`${accountPath}/activity`)).status).toBe(404);
  });
});

describe('the sentences of the activity', () => {
  const visit = {
    offers: { providers: [{ id: 'google', label: 'Google' }] },
    words: en.account,
  } as unknown as AccountVisit;
  const said = (action: string, method: string | null = null) =>
    sentenceOf(visit, { action, method } as AuditActivity);

  it('name the method, also if a second step followed', () => {
    expect(said('session.created', 'passkey')).toBe('You signed in with a passkey');
    expect(said('session.created', 'password_login+totp')).toBe('You signed in with a password');
    expect(said('session.created', 'google')).toBe('You signed in with Google');
    expect(said('refresh.issued', 'magic_link')).toBe('You signed in with a link by email');
    expect(said('refresh.issued')).toBe('An app signed in');
    expect(said('session.bound')).toBe('Bound to this device');
  });

  it('are general for a method and an action without a sentence', () => {
    expect(said('session.created', 'constructor')).toBe('You signed in');
    expect(said('session.created')).toBe('You signed in');
    expect(said('constructor')).toBe('Account changed');
    expect(said('second_factor.preferred_changed')).toBe('Account changed');
  });
});
