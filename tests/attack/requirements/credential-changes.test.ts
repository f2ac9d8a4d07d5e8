// what dies and what stays when somebody's credentials change, whichever of them, and whoever held something before.
import { describeAdapters } from '../../support/describe-adapters.js';
import type { Answer } from '../../support/http-client.js';
import { goodPassword, type Account } from '../../support/http-site.js';
import { minute } from '../../support/make-pro-service.js';
import { outcomeOf } from '../../support/outcomes.js';
import { addPasskey, enrolTotp, isIn, issueTokens } from '../../support/people.js';
import { wholeProduct, type WholeSite } from '../../support/whole-product.js';

const newPassword = 'another horse battery';

/** Everything that could outlive a change: a browser that is elsewhere, an app with tokens, a token without a row, a key of a script. */
async function heldBy(site: WholeSite, me: Account, elsewhere: string) {
  const { accessToken, refreshToken } = await issueTokens(site, me);
  const unlisted = site.service.createSessionToken(me.user.id).token;
  const made = await site.post('/api-keys', { name: 'script' }, me);
  const { key } = made.json as { key: string };
  // What came before the change must be before it to the millisecond, too.
  site.clock.advance(1_000);
  return async () => ({
    elsewhere: await isIn(site, elsewhere),
    unlisted: await isIn(site, `svc_session=${unlisted}`),
    access: await isIn(site, `svc_session=${accessToken}`),
    refresh: (await site.post('/token/refresh', { refreshToken })).status === 200,
    apiKey: (await outcomeOf(() => site.service.apiKeys.verify(key))) === 'ok',
  });
}

const allAlive = { elsewhere: true, unlisted: true, access: true, refresh: true, apiKey: true };
const ended = { elsewhere: false, unlisted: false, access: false, refresh: false };

interface Change {
  /** A user who never proved the address. */
  unverified?: true;
  /** A second factor that is enrolled before anybody signs in anywhere. */
  enrolled?: true;
  /** Does it; the answer of the last request, if that has a session that goes on. */
  make(site: WholeSite, me: Account, secondFactor?: Awaited<ReturnType<typeof enrolTotp>>): Promise<Answer>;
  /** What is left of what was held. */
  leaves: Record<string, boolean>;
  /** Whether the browser that asked is still in, by its old cookie or by the one it was given. */
  goesOn: 'as before' | 'anew' | 'not at all';
}

async function resetBy(site: WholeSite, { email }: Account) {
  await site.post('/password/request-reset', { email });
  await site.settle();
  return site.post('/password/reset', { token: site.mailedToken(email), newPassword });
}

const keyStays = { ...ended, apiKey: true };
const nothing = { ...ended, apiKey: false };

const changes: Record<string, Change> = {
  'a reset of the password': { make: resetBy, leaves: keyStays, goesOn: 'not at all' },
  'a reset on an account that nobody proved, which is a claim': {
    ...{ unverified: true, make: resetBy, leaves: nothing, goesOn: 'not at all' },
  },
  'a claim by email code': {
    unverified: true,
    async make(site, { email }) {
      return (await site.signInByCode(email)).answer;
    },
    ...{ leaves: nothing, goesOn: 'not at all' },
  },
  'a claim by magic link': {
    unverified: true,
    async make(site, { email }) {
      await site.post('/magic-link/send', { email });
      return site.get(`/magic-link/verify?token=${site.mailedToken(email)}`);
    },
    ...{ leaves: nothing, goesOn: 'not at all' },
  },
  'another password, with the present one': {
    unverified: true,
    make: (site, { cookie }) =>
      site.post('/account/password', { currentPassword: goodPassword, newPassword }, { cookie }),
    ...{ leaves: keyStays, goesOn: 'anew' },
  },
  'another address': {
    async make(site, { cookie, email }) {
      const address = site.address();
      await site.post('/account/email', { email: address }, { cookie });
      const codes = { code: site.mail.lastCode(address), currentCode: site.mail.lastCode(email) };
      return site.post('/account/email/confirm', { email: address, ...codes }, { cookie });
    },
    ...{ leaves: keyStays, goesOn: 'anew' },
  },
  'a second factor that is enabled': {
    make: async (site, { cookie }) => (await enrolTotp(site, cookie)).answer,
    ...{ leaves: keyStays, goesOn: 'anew' },
  },
  'a second factor that is disabled': {
    enrolled: true,
    make: (site, { cookie }) => site.post('/totp/disable', undefined, { cookie }),
    ...{ leaves: keyStays, goesOn: 'anew' },
  },
  'new recovery codes': {
    enrolled: true,
    make: (site, { cookie }) => site.post('/totp/recovery-codes', undefined, { cookie }),
    ...{ leaves: keyStays, goesOn: 'anew' },
  },
  // A further way in, proven in a fresh session: nothing of what was there is worth less.
  'a first password': {
    make: (site, { cookie }) => site.post('/account/password', { newPassword }, { cookie }),
    ...{ leaves: allAlive, goesOn: 'anew' },
  },
  'a passkey that is added': {
    async make(site, { cookie }) {
      await addPasskey(site, cookie);
      return site.get('/session', { cookie });
    },
    ...{ leaves: allAlive, goesOn: 'as before' },
  },
  'the proof of one’s own address in a session of it': {
    unverified: true,
    async make(site, { cookie, email }) {
      await site.post('/account/verify-email/send', undefined, { cookie });
      return site.post('/account/verify-email', { code: site.mail.lastCode(email) }, { cookie });
    },
    ...{ leaves: allAlive, goesOn: 'as before' },
  },
};

describeAdapters('A change of credentials', (on) => {
  const open = wholeProduct(on.adapter);

  it.each(Object.entries(changes))('A-51 %s ends what it should, and nothing else', async (_name, change) => {
    // Without the option no account that can be reclaimed has a key.
    const apiKeys = { scopes: ['read'], allowUnverified: change.unverified ?? false };
    const site = await open({ service: { providers: { apiKeys } } });
    const bystander = await site.signInByCode();
    const held = await heldBy(site, bystander, (await site.signInByCode(bystander.email)).cookie);
    const me = change.unverified ? await site.signUp() : await site.signInByCode();
    const factor = change.enrolled && (await enrolTotp(site, me.cookie));
    if (factor) me.cookie = factor.cookie;
    const elsewhere = await inElsewhere(site, me, change, factor?.code);
    const left = await heldBy(site, me, elsewhere);
    expect(await left()).toEqual(allAlive);
    const answer = await change.make(site, me);
    expect(answer.status).toBeLessThan(400);
    expect(await left()).toEqual(change.leaves);
    expect(await isIn(site, me.cookie)).toBe(change.goesOn === 'as before');
    if (change.goesOn === 'anew') expect(await isIn(site, answer.cookie())).toBe(true);
    expect(await held()).toEqual(allAlive);
  });

  it('A-51 a sign-in that waits for its second factor does not survive a reset, and the factor does', async () => {
    const site = await open();
    const me = await site.signInByCode();
    const { code } = await enrolTotp(site, me.cookie);
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

  it('A-51 codes, links, resets and changes of address that were under way are dead after a reset', async () => {
    const site = await open();
    const me = await site.signInByCode();
    const next = site.address();
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

/** The same user in another browser, by what proves no mailbox where that would be a claim. */
async function inElsewhere(site: WholeSite, { email }: Account, change: Change, code?: () => string) {
  if (change.unverified) {
    return (await site.post('/password/login', { email, password: goodPassword })).cookie();
  }
  await site.post('/email-code/send', { email });
  const answer = await site.post('/email-code/verify', { email, code: site.mail.lastCode(email) });
  if (!code) return answer.cookie();
  return (await site.post('/mfa/verify', { code: code() }, { cookie: answer.cookie('svc_mfa') })).cookie();
}
