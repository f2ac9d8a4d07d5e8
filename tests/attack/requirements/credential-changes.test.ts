// What a change of credentials revokes and what remains valid, for the user and for an earlier holder of the account.
import { describeAdapters } from '../../support/describe-adapters.js';
import type { HttpResponse } from '../../support/http-client.js';
import { validPassword, type Account } from '../../support/http-site.js';
import { minute } from '../../support/make-pro-service.js';
import { outcomeOf } from '../../support/outcomes.js';
import { addPasskey, enrollTotp, isSignedIn, issueTokens } from '../../support/site-actions.js';
import { fullSiteOpener, type FullSite } from '../../support/full-site.js';

const newPassword = 'another horse battery';

/** Issues everything that could outlive a change: another browser's session, app tokens, a stateless token, an API key. */
async function issueCredentials(site: FullSite, me: Account, elsewhere: string) {
  const { accessToken, refreshToken } = await issueTokens(site, me);
  const unlisted = site.service.createSessionToken(me.user.id).token;
  const created = await site.post('/api-keys', { name: 'script' }, me);
  const { key } = created.json as { key: string };
  // Credentials from before the change must precede it by at least a millisecond.
  site.clock.advance(1_000);
  return async () => ({
    elsewhere: await isSignedIn(site, elsewhere),
    unlisted: await isSignedIn(site, `svc_session=${unlisted}`),
    access: await isSignedIn(site, `svc_session=${accessToken}`),
    refresh: (await site.post('/token/refresh', { refreshToken })).status === 200,
    apiKey: (await outcomeOf(() => site.service.apiKeys.verify(key))) === 'ok',
  });
}

const allValid = { elsewhere: true, unlisted: true, access: true, refresh: true, apiKey: true };
const sessionsRevoked = { elsewhere: false, unlisted: false, access: false, refresh: false };

interface Change {
  /** Whether the user has not verified the address. */
  unverified?: true;
  /** Whether a second factor is enrolled before any other sign-in. */
  enrolled?: true;
  /** Makes the change and returns the last response, which has a cookie if the session continues in a new one. */
  make(
    site: FullSite,
    me: Account,
    secondFactor?: Awaited<ReturnType<typeof enrollTotp>>,
  ): Promise<HttpResponse>;
  /** Which of the earlier credentials remain valid. */
  leaves: Record<string, boolean>;
  /** Whether the browser that made the change stays signed in, by its old cookie or by a new one. */
  session: 'kept' | 'replaced' | 'revoked';
}

async function resetBy(site: FullSite, { email }: Account) {
  await site.post('/password/request-reset', { email });
  await site.settle();
  return site.post('/password/reset', { token: site.mailedToken(email), newPassword });
}

const apiKeyRemains = { ...sessionsRevoked, apiKey: true };
const nothingRemains = { ...sessionsRevoked, apiKey: false };

const changes: Record<string, Change> = {
  'a password reset': { make: resetBy, leaves: apiKeyRemains, session: 'revoked' },
  'a password reset that claims an unverified account': {
    ...{ unverified: true, make: resetBy, leaves: nothingRemains, session: 'revoked' },
  },
  'a claim by email code': {
    unverified: true,
    async make(site, { email }) {
      return (await site.signInByCode(email)).response;
    },
    ...{ leaves: nothingRemains, session: 'revoked' },
  },
  'a claim by magic link': {
    unverified: true,
    async make(site, { email }) {
      await site.post('/magic-link/send', { email });
      return site.get(`/magic-link/verify?token=${site.mailedToken(email)}`);
    },
    ...{ leaves: nothingRemains, session: 'revoked' },
  },
  'a password change with the current password': {
    unverified: true,
    make: (site, { cookie }) =>
      site.post('/account/password', { currentPassword: validPassword, newPassword }, { cookie }),
    ...{ leaves: apiKeyRemains, session: 'replaced' },
  },
  'a change of email address': {
    async make(site, { cookie, email }) {
      const address = site.uniqueEmail();
      await site.post('/account/email', { email: address }, { cookie });
      const codes = { code: site.mail.lastCode(address), currentCode: site.mail.lastCode(email) };
      return site.post('/account/email/confirm', { email: address, ...codes }, { cookie });
    },
    ...{ leaves: apiKeyRemains, session: 'replaced' },
  },
  'enabling a second factor': {
    make: async (site, { cookie }) => (await enrollTotp(site, cookie)).response,
    ...{ leaves: apiKeyRemains, session: 'replaced' },
  },
  'disabling a second factor': {
    enrolled: true,
    make: (site, { cookie }) => site.post('/totp/disable', undefined, { cookie }),
    ...{ leaves: apiKeyRemains, session: 'replaced' },
  },
  'renewing the recovery codes': {
    enrolled: true,
    make: (site, { cookie }) => site.post('/totp/recovery-codes', undefined, { cookie }),
    ...{ leaves: apiKeyRemains, session: 'replaced' },
  },
  // A further sign-in method, added in a recent session: no earlier credential is affected.
  'adding a first password': {
    make: (site, { cookie }) => site.post('/account/password', { newPassword }, { cookie }),
    ...{ leaves: allValid, session: 'replaced' },
  },
  'adding a passkey': {
    async make(site, { cookie }) {
      await addPasskey(site, cookie);
      return site.get('/session', { cookie });
    },
    ...{ leaves: allValid, session: 'kept' },
  },
  'verifying the email address within a session': {
    unverified: true,
    async make(site, { cookie, email }) {
      await site.post('/account/verify-email/send', undefined, { cookie });
      return site.post('/account/verify-email', { code: site.mail.lastCode(email) }, { cookie });
    },
    ...{ leaves: allValid, session: 'kept' },
  },
};

describeAdapters('A change of credentials', (on) => {
  const open = fullSiteOpener(on.adapter);

  //
  it.each(Object.entries(changes))('%s revokes exactly the credentials it must', async (_name, change) => {
    // Without the option an unverified account cannot create API keys.
    const apiKeys = { scopes: ['read'], allowUnverified: change.unverified ?? false };
    const site = await open({ service: { providers: { apiKeys } } });
    const bystander = await site.signInByCode();
    const bystanderCredentials = await issueCredentials(
      site,
      bystander,
      (await site.signInByCode(bystander.email)).cookie,
    );
    const me = change.unverified ? await site.signUp() : await site.signInByCode();
    const factor = change.enrolled && (await enrollTotp(site, me.cookie));
    if (factor) me.cookie = factor.cookie;
    const elsewhere = await signInElsewhere(site, me, change, factor?.code);
    const credentials = await issueCredentials(site, me, elsewhere);
    expect(await credentials()).toEqual(allValid);
    const response = await change.make(site, me);
    expect(response.status).toBeLessThan(400);
    expect(await credentials()).toEqual(change.leaves);
    expect(await isSignedIn(site, me.cookie)).toBe(change.session === 'kept');
    if (change.session === 'replaced') expect(await isSignedIn(site, response.cookie())).toBe(true);
    expect(await bystanderCredentials()).toEqual(allValid);
  });

  //
  it('rejects a pending sign-in after a password reset, and keeps the second factor enabled', async () => {
    const site = await open();
    const me = await site.signInByCode();
    const { code } = await enrollTotp(site, me.cookie);
    await site.post('/email-code/send', { email: me.email });
    const first = { email: me.email, code: site.mail.lastCode(me.email) };
    const waiting = await site.post('/email-code/verify', first);
    await resetBy(site, me);
    const late = await site.post('/mfa/verify', { code: code() }, { cookie: waiting.cookie('svc_mfa') });
    expect([late.status, late.json.error, late.cookies]).toEqual([401, 'token_invalid', []]);
    site.clock.advance(minute);
    const login = await site.post('/password/login', { email: me.email, password: newPassword });
    expect(login.json.error).toBe('mfa_required');
  });

  //
  it('rejects codes, links, resets and changes of address that were pending before a password reset', async () => {
    const site = await open();
    const me = await site.signInByCode();
    const next = site.uniqueEmail();
    await site.post('/account/email', { email: next }, { cookie: me.cookie });
    const change = { email: next, code: site.mail.lastCode(next), currentCode: site.mail.lastCode(me.email) };
    await site.post('/magic-link/send', { email: me.email });
    const link = site.mailedToken(me.email);
    await site.post('/password/request-reset', { email: me.email });
    await site.settle();
    const earlier = site.mailedToken(me.email);
    site.clock.advance(1_000);
    await resetBy(site, me);
    const { cookie } = (await site.signInByCode(me.email)) as Account;
    const confirmed = await site.post('/account/email/confirm', change, { cookie });
    expect(confirmed.status).toBe(401);
    expect((await site.get(`/magic-link/verify?token=${link}`)).location).toMatch(/error=/);
    expect((await site.post('/password/reset', { token: earlier, newPassword })).json.error).toBe(
      'token_invalid',
    );
  });
});

/** Signs the same user in from another browser, without verifying the mailbox if that would claim the account. */
async function signInElsewhere(site: FullSite, { email }: Account, change: Change, code?: () => string) {
  if (change.unverified) {
    return (await site.post('/password/login', { email, password: validPassword })).cookie();
  }
  await site.post('/email-code/send', { email });
  const response = await site.post('/email-code/verify', { email, code: site.mail.lastCode(email) });
  if (!code) return response.cookie();
  return (await site.post('/mfa/verify', { code: code() }, { cookie: response.cookie('svc_mfa') })).cookie();
}
