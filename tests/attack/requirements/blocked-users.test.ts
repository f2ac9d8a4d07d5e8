// A blocked user cannot come back by any method, and only a user who completes a proof learns of the block.
import type { HttpResponse } from '../../support/http-client.js';
import { validPassword, type Site } from '../../support/http-site.js';
import { minute } from '../../support/make-pro-service.js';
import { outcomeOf } from '../../support/outcomes.js';
import {
  differentCode,
  enrollTotp,
  isSignedIn,
  issueTokens,
  logIn,
  outcome,
  requestResetToken,
} from '../../support/site-actions.js';
import { signInMethods } from '../../support/sign-in-methods.js';
import { describeAttacks } from '../../support/full-site.js';

const blocked = /^(\/\?error=|403 )user_blocked$/;
// Every sign-up creates another user.
const { 'a signup': _, ...methods } = signInMethods;

const codeOf = (response: HttpResponse) => (response.status === 302 ? response.location : outcome(response));
const sessionCookies = ({ cookies }: HttpResponse) =>
  cookies.filter(({ name, value }) => name === 'svc_session' && value !== '');
const idOf = async (site: Site, cookie: string) =>
  (await site.get('/session', { cookie })).json.user.id as string;

describeAttacks('Blocked users', ({ open }) => {
  it.each(Object.entries(methods))(
    'a blocked user gets user_blocked and no session after %s, and signs in again after the block',
    async (_name, method) => {
      const site = await open();
      const signIn = await method(site);
      const cookie = (await signIn()).cookie();
      const userId = await idOf(site, cookie);
      await site.service.users.block(userId, { until: new Date(site.clock.now() + 10 * minute) });
      expect(await isSignedIn(site, cookie)).toBe(false);
      const refused = await signIn();
      expect(codeOf(refused)).toMatch(blocked);
      expect(sessionCookies(refused)).toEqual([]);
      site.clock.advance(10 * minute);
      const again = (await signIn()).cookie();
      expect(await idOf(site, again)).toBe(userId);
      expect(await isSignedIn(site, cookie)).toBe(false);
      await site.service.users.block(userId);
      site.clock.advance(minute);
      expect(codeOf(await signIn())).toMatch(blocked);
      await site.service.users.unblock(userId);
      expect(await idOf(site, (await signIn()).cookie())).toBe(userId);
    },
  );

  it('a block ends sessions, refresh families, access tokens and impersonations in another process at the next request', async () => {
    // The clock of the second site is ahead.
    const [there, here] = [await open(), await open()];
    const { service } = there;
    const user = await there.signInByCode();
    const admin = await there.signInByCode();
    const { accessToken, refreshToken } = await issueTokens(there, user);
    const { sessionsProvider } = service;
    const ofUser = await sessionsProvider.impersonate(admin.user.id, user.user.id);
    const byUser = await sessionsProvider.impersonate(user.user.id, admin.user.id);
    const stateless = service.createSessionToken(user.user.id);
    const tokens = [accessToken, ofUser.token, byUser.token, stateless.token];
    const statusOf = async (token: string) =>
      (await there.get('/session', { headers: { Authorization: `Bearer ${token}` } })).status;
    for (const token of tokens) expect(await statusOf(token)).toBe(200);
    await here.service.users.block(user.user.id);
    for (const token of tokens) expect(await statusOf(token)).toBe(401);
    expect(await isSignedIn(there, user.cookie)).toBe(false);
    expect(outcome(await there.post('/token/refresh', { refreshToken }))).toBe('401 refresh_token_invalid');
    // Newer than the block.
    there.clock.advance(minute);
    expect(await statusOf(service.createSessionToken(user.user.id).token)).toBe(401);
    await here.service.users.unblock(user.user.id);
    for (const token of tokens) expect(await statusOf(token)).toBe(401);
  });

  it('API keys of the user stop with the block and work again after it, keys of an organization stay', async () => {
    const site = await open();
    const { apiKeys, orgs, users } = site.service;
    const { user } = await site.signInByCode();
    const { org } = await orgs.create({ name: 'Acme', ownerUserId: user.id });
    const own = await apiKeys.create({ userId: user.id, name: 'CI' });
    const ofOrg = await apiKeys.create({ orgId: org.id, name: 'CI' });
    const verify = () => Promise.all([own, ofOrg].map(({ key }) => outcomeOf(() => apiKeys.verify(key))));
    expect(await verify()).toEqual(['ok', 'ok']);
    await users.block(user.id);
    expect(await verify()).toEqual(['user_blocked', 'ok']);
    await users.unblock(user.id);
    expect(await verify()).toEqual(['ok', 'ok']);
    expect(Object.keys(await apiKeys.verify(own.key))).not.toContain('ownerBlock');
  });

  it('no call of the application starts a session for a blocked user', async () => {
    const site = await open();
    const { orgs, refresh, sessionsProvider, users } = site.service;
    const { user, email } = await site.signInByCode();
    const other = await site.signInByCode();
    const { org } = await orgs.create({ name: 'Acme', ownerUserId: other.user.id });
    const { token } = await orgs.invite({ orgId: org.id, email });
    await users.block(user.id);
    const calls: Record<string, () => unknown> = {
      'sessionsProvider.create': () => sessionsProvider.create({ userId: user.id }),
      'sessionsProvider.impersonate a blocked user': () =>
        sessionsProvider.impersonate(other.user.id, user.id),
      'sessionsProvider.impersonate by a blocked user': () =>
        sessionsProvider.impersonate(user.id, other.user.id),
      'refresh.issue': () => refresh.issue({ userId: user.id }),
      'orgs.acceptInvite': () => orgs.acceptInvite(token, user.id),
    };
    for (const [name, call] of Object.entries(calls)) {
      expect([name, await outcomeOf(call)]).toEqual([name, 'user_blocked']);
    }
    await users.unblock(user.id);
    expect(await outcomeOf(calls['orgs.acceptInvite']!)).toBe('ok');
  });

  it('a blocked guest cannot be upgraded', async () => {
    const site = await open();
    const { sessionsProvider, emailPassword, users } = site.service;
    const { user } = await sessionsProvider.createGuest();
    await users.block(user.id);
    const identity = { userId: user.id, provider: 'idp', providerAccountId: user.id };
    expect(await outcomeOf(() => sessionsProvider.upgrade(identity))).toBe('user_blocked');
    const signUp = { userId: user.id, email: site.uniqueEmail(), password: validPassword };
    expect(await outcomeOf(() => emailPassword.upgradeGuest(signUp))).toBe('user_blocked');
  });

  it('a reset link of a blocked user is refused and consumed, and changes no password', async () => {
    const site = await open();
    const { user, email, password } = await site.signUp();
    await site.service.users.block(user.id);
    const token = await requestResetToken(site, email);
    const reset = () => site.post('/password/reset', { token, newPassword: 'a different password' });
    expect(outcome(await reset())).toBe('403 user_blocked');
    expect(outcome(await reset())).toBe('401 token_invalid');
    await site.service.users.unblock(user.id);
    expect((await logIn(site, email, password)).status).toBe(200);
  });

  it('a stranger gets the same response for a blocked account as for any other', async () => {
    const site = await open();
    const accounts = [await site.signUp(), await site.signUp()];
    await site.service.users.block(accounts[0]!.user.id);
    const [ofBlocked, ofOther] = await Promise.all(
      accounts.map(async ({ email }) => {
        const sent = await site.post('/email-code/send', { email });
        const code = differentCode(site.mail.lastCode(email));
        return [
          outcome(sent),
          await logIn(site, email, 'a wrong password'),
          await site.post('/email-code/verify', { email, code }),
          await site.post('/password/request-reset', { email }),
          await site.post('/password/signup', { email, password: validPassword }),
          await site.post('/magic-link/send', { email }),
        ].map((each) => (typeof each === 'string' ? each : [each.status, Object.keys(each.json)]));
      }),
    );
    expect(ofBlocked).toEqual(ofOther);
  });

  it('the first of two factors does not reveal the block', async () => {
    const site = await open();
    const { user, email, password, cookie } = await site.signUp();
    const { code } = await enrollTotp(site, cookie);
    await site.service.users.block(user.id);
    site.clock.advance(minute);
    const pending = await logIn(site, email, password);
    expect(outcome(pending)).toBe('403 mfa_required');
    const second = { cookie: pending.cookie('svc_mfa') };
    const wrong = await site.post('/mfa/verify', { code: differentCode(code()) }, second);
    expect(outcome(wrong)).toBe('401 code_invalid');
    expect(outcome(await site.post('/mfa/verify', { code: code() }, second))).toBe('403 user_blocked');
  });
});
