/** Requests that are refused, by the reason that their response has. For tests/http/reasons.test.ts. */
import express, { type Express } from 'express';
import jsonwebtoken from 'jsonwebtoken';
import { requireApiKey, requireOrgRole, requireRole, requireSession } from 'svc-auth';
import { softwareAuthenticator } from 'svc-auth/testing';
import { encryptionKey } from '../support/every-provider.js';
import type { HttpResponse } from '../support/http-client.js';
import { sendRefresh } from '../support/bound-browser.js';
import { openSite, type Site, type SiteOptions } from '../support/http-site.js';
import { proProviders } from '../support/make-pro-service.js';
import { testSecret, type TestService } from '../support/make-service.js';
import { addPasskey, enrollTotp } from '../support/site-actions.js';
import { codeAt } from '../support/authenticator-app.js';

const minute = 60_000;
const hour = 60 * minute;
const origin = 'https://app.test';

function ownRoutes(app: Express, { service }: TestService): void {
  const ok = (_req: express.Request, res: express.Response) => void res.json({});
  app.get('/app/me', requireSession(service), ok);
  app.get('/app/bound', requireSession(service, { bound: true }), ok);
  app.get('/app/mfa', requireSession(service, { mfa: true }), ok);
  app.get('/app/recent', requireSession(service, { maxAgeMs: minute }), ok);
  app.get('/app/verified', requireSession(service, { verified: true }), ok);
  app.get('/app/admin', requireRole(service, 'admin'), ok);
  app.get('/app/orgs/:id', requireOrgRole(service, { min: 'member', org: ({ params }) => params['id'] }), ok);
  app.get('/app/no-org', requireOrgRole(service, { min: 'member', org: () => undefined }), ok);
  app.get('/app/key', requireApiKey(service, { scopes: ['write'] }), ok);
}

/** A site with most features. The caller closes it. */
export async function openForReasons(options: SiteOptions = {}): Promise<Site> {
  const opened: { site?: Site } = {};
  const sender = { send: async (message: never) => opened.site!.mail.send(message) };
  const { service = {}, ...others } = options;
  const site = await openSite(express, undefined, {
    pro: true,
    before: ownRoutes,
    ...others,
    service: {
      encryptionKey,
      usernames: { enabled: true },
      ...service,
      session: { bound: true, ...service.session },
      providers: {
        ...proProviders,
        account: { sender },
        sessions: { canImpersonate: ({ email }) => email?.startsWith('never') !== true, guests: true },
        totp: { sender, email: true, trustedBrowsers: { days: 30 } },
        webauthn: { rpId: 'app.test', origins: [origin] },
        ...service.providers,
      },
    },
  });
  opened.site = site;
  return site;
}

export const me = (site: Site, cookie?: string) =>
  site.send('GET', '/app/me', undefined, { ...(cookie !== undefined && { cookie }) });
const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
const page = (site: Site, path: string, cookie: string) => site.send('GET', path, undefined, { cookie });
export const cookieOf = (token: string) => `svc_session=${token}`;
export const secretOf = (cookie: string) => cookie.slice('svc_session='.length);

/** A token with changed claims, signed with the key of the service. */
async function forged(site: Site, changes: object): Promise<string> {
  const { cookie } = await site.signUp();
  const claims = jsonwebtoken.decode(secretOf(cookie)) as object;
  const { sessionKey } = await import('../../src/crypto/keys.js');
  const { key } = sessionKey(testSecret);
  return jsonwebtoken.sign({ ...claims, ...changes }, key, { algorithm: 'HS256' });
}

async function impersonated(site: Site) {
  const [admin, user] = [await site.signUp(), await site.signUp()];
  const sessionToken = secretOf(admin.cookie);
  const { sessionsProvider } = site.service;
  const { token } = await sessionsProvider.impersonate(admin.user.id, user.user.id, { sessionToken });
  return { admin, user, cookie: cookieOf(token) };
}

async function orgWithInvite(site: Site) {
  const owner = await site.signInByCode();
  const { org } = await site.service.orgs.create({ name: 'Acme', ownerUserId: owner.user.id });
  const email = site.uniqueEmail();
  const { invite, token } = await site.service.orgs.invite({ orgId: org.id, email });
  const accept = async (address = email) =>
    site.post('/orgs/invites/accept', { token }, { cookie: (await site.signInByCode(address)).cookie });
  return { org, owner, email, invite, accept };
}

export async function withTotp(site: Site) {
  const { email, cookie } = await site.signInByCode();
  const { secret } = await enrollTotp(site, cookie);
  await site.post('/email-code/send', { email });
  const first = await site.post('/email-code/verify', { email, code: site.mail.lastCode(email) });
  return { email, cookie, secret, first, pending: first.cookie('svc_mfa') };
}

export type Produce = (site: Site) => Promise<HttpResponse>;

const wrong = (site: Site, email: string) => {
  const code = site.mail.lastCode(email)!;
  return code === '111111' ? '222222' : '111111';
};

export const usualReasons: Readonly<Record<string, Produce>> = {
  cookie_missing: (site) => me(site),
  token_malformed: (site) => me(site, cookieOf('nonsense')),
  async signature_invalid(site) {
    const { cookie } = await site.signUp();
    return me(site, `${cookie.slice(0, -4)}AAAA`);
  },
  async token_expired(site) {
    const { cookie } = await site.signUp();
    site.clock.advance(400 * 24 * hour);
    return me(site, cookie);
  },
  async token_not_active(site) {
    const { cookie } = await site.signUp();
    site.clock.advance(-hour);
    return me(site, cookie);
  },
  async session_revoked(site) {
    const { cookie } = await site.signUp();
    await site.post('/logout', undefined, { cookie });
    return me(site, cookie);
  },
  async session_expired(site) {
    const exp = Math.floor(site.clock.now() / 1000) + 800 * 24 * 3600;
    const token = await forged(site, { exp });
    site.clock.advance(400 * 24 * hour);
    return me(site, cookieOf(token));
  },
  async session_unproven(site) {
    const { cookie, user } = await site.signUp();
    const [session] = await site.adapter.sessions.listLive(user.id, new Date(0));
    const { id } = session!;
    const key = { alg: 'ES256' as const, jwk: {}, epoch: 0, twoFactors: false, remember: true };
    await site.adapter.sessionBindings!.bind(id, { id, key }, new Date(0));
    return me(site, cookie);
  },
  session_proof_needed: (site) => sendRefresh(site, 'any'),
  session_proof_invalid: (site) => sendRefresh(site, 'any', 'nonsense'),
  session_unbound: async (site) => page(site, '/app/bound', (await site.signUp()).cookie),
  async session_unknown(site) {
    const { cookie, user } = await site.signUp();
    await site.service.account.deleteUser(user.id);
    return me(site, cookie);
  },
  async epoch_passed(site) {
    const { cookie, user } = await site.signUp();
    await site.service.users.signOut(user.id);
    return me(site, cookie);
  },
  async user_blocked(site) {
    const { cookie, user } = await site.signUp();
    await site.service.users.block(user.id);
    return me(site, cookie);
  },
  async user_deleted(site) {
    const { user } = await site.signUp();
    const { token } = site.service.createSessionToken(user.id);
    await site.service.account.deleteUser(user.id);
    return me(site, cookieOf(token));
  },
  async impersonator_signed_out(site) {
    const { admin, cookie } = await impersonated(site);
    await site.post('/logout', undefined, { cookie: admin.cookie });
    return me(site, cookie);
  },
  impersonation: async (site) => {
    const { cookie } = await impersonated(site);
    return site.send('DELETE', '/account', undefined, { cookie });
  },
  origin_mismatch: (site) =>
    site.post('/email-code/send', { email: 'ada@example.com' }, { headers: { Origin: 'https://evil.test' } }),
  sign_in_too_old: async (site) => {
    const { cookie } = await site.signUp();
    site.clock.advance(2 * minute);
    return page(site, '/app/recent', cookie);
  },
  second_factor_missing: async (site) => page(site, '/app/mfa', (await site.signUp()).cookie),
  role_missing: async (site) => page(site, '/app/admin', (await site.signUp()).cookie),
  async org_role_missing(site) {
    const { org } = await orgWithInvite(site);
    return page(site, `/app/orgs/${org.id}`, (await site.signUp()).cookie);
  },
  organization_missing: async (site) => page(site, '/app/no-org', (await site.signUp()).cookie),
  email_unverified: async (site) => page(site, '/app/verified', (await site.signUp()).cookie),
  api_key_missing: (site) => site.send('GET', '/app/key'),
  api_key_unknown: (site) => site.send('GET', '/app/key', undefined, bearer('svc_nonsense')),
  scope_missing: async (site) => site.send('GET', '/app/key', undefined, bearer((await keyOf(site)).key)),
  async api_key_revoked(site) {
    const { key, record } = await keyOf(site);
    await site.service.apiKeys.revoke(record.id);
    return site.send('GET', '/app/key', undefined, bearer(key));
  },
  async api_key_expired(site) {
    const { key } = await keyOf(site, new Date(site.clock.now() + hour));
    site.clock.advance(2 * hour);
    return site.send('GET', '/app/key', undefined, bearer(key));
  },
  refresh_token_malformed: (site) => site.post('/token/refresh', { refreshToken: 'nonsense' }),
  async refresh_token_ended(site) {
    const { refreshToken } = await pairOf(site);
    await site.post('/token/revoke', { refreshToken });
    return site.post('/token/refresh', { refreshToken });
  },
  async refresh_token_reused(site) {
    const { refreshToken } = await pairOf(site);
    for (let i = 0; i < 2; i += 1) {
      const { json } = await site.post('/token/refresh', { refreshToken });
      await site.post('/token/refresh', { refreshToken: json.refreshToken });
      site.clock.advance(minute);
      if (i === 0 && json.error) throw new Error('The first rotation failed.');
      if (json.error) break;
      return site.post('/token/refresh', { refreshToken });
    }
    throw new Error('No token was reused.');
  },
  access_token: async (site) => site.post('/token/issue', {}, bearer((await pairOf(site)).accessToken)),
  invalid_credentials: (site) => site.post('/password/login', { email: site.uniqueEmail(), password: 'x' }),
  async current_password_wrong(site) {
    const { cookie } = await site.signUp();
    const body = { currentPassword: 'wrong horse battery', newPassword: 'another good password' };
    return site.post('/account/password', body, { cookie });
  },
  async code_invalid(site) {
    const email = site.uniqueEmail();
    await site.post('/email-code/send', { email });
    return site.post('/email-code/verify', { email, code: wrong(site, email) });
  },
  async code_expired(site) {
    const email = site.uniqueEmail();
    await site.post('/email-code/send', { email });
    site.clock.advance(hour);
    return site.post('/email-code/verify', { email, code: site.mail.lastCode(email) });
  },
  code_not_found: (site) => site.post('/email-code/verify', { email: site.uniqueEmail(), code: '123456' }),
  async max_attempts_exceeded(site) {
    const email = site.uniqueEmail();
    await site.post('/email-code/send', { email });
    const code = wrong(site, email);
    for (let i = 0; i < 5; i += 1) await site.post('/email-code/verify', { email, code });
    return site.post('/email-code/verify', { email, code });
  },
  link_invalid: (site) => site.post('/password/reset', { token: 'a.b', newPassword: 'a good new password' }),
  async invite_used(site) {
    const { accept } = await orgWithInvite(site);
    await accept();
    return accept();
  },
  async invite_expired(site) {
    const { accept } = await orgWithInvite(site);
    site.clock.advance(60 * 24 * hour);
    return accept();
  },
  async invite_withdrawn(site) {
    const { org, invite, accept } = await orgWithInvite(site);
    await site.service.orgs.revokeInvite(org.id, invite.id);
    return accept();
  },
  invite_other_address: async (site) => (await orgWithInvite(site)).accept(site.uniqueEmail()),
  pending_sign_in_missing: (site) => site.post('/mfa/verify', { code: '123456' }),
  pending_sign_in_ended: (site) => site.post('/mfa/verify', { code: '123456' }, { cookie: 'svc_mfa=a.b' }),
  mfa_required: async (site) => (await withTotp(site)).first,
  async proof_used(site) {
    const { pending, secret } = await withTotp(site);
    const verify = () => {
      site.clock.advance(minute);
      return site.post('/mfa/verify', { code: codeAt(secret, site.clock.now()) }, { cookie: pending });
    };
    expect((await verify()).status).toBe(200);
    return verify();
  },
  factor_missing: async (site) =>
    site.post('/totp/confirm', { code: '123456' }, { cookie: (await site.signInByCode()).cookie }),
  passkey_unknown: async (site) => (await passkeySignIn(site)).finish(softwareAuthenticator({ origin })),
  async passkey_challenge_invalid(site) {
    const { authenticator, finish } = await passkeySignIn(site);
    await finish(authenticator);
    return finish(authenticator);
  },
  async passkey_invalid(site) {
    const { authenticator, finish } = await passkeySignIn(site);
    return finish(authenticator, { origin: 'https://evil.test' });
  },
  async guest(site) {
    const { token } = await site.service.sessionsProvider.createGuest();
    return site.post('/orgs', { name: 'Acme' }, { cookie: cookieOf(token) });
  },
  async not_a_guest(site) {
    const { cookie } = await site.signUp();
    return site.post('/guest/upgrade/send', { email: site.uniqueEmail() }, { cookie });
  },
};

async function keyOf(site: Site, expiresAt?: Date) {
  const { user } = await site.signInByCode();
  return site.service.apiKeys.create({
    userId: user.id,
    name: 'key',
    scopes: ['read'],
    ...(expiresAt && { expiresAt }),
  });
}

async function pairOf(site: Site) {
  const { user } = await site.signUp();
  return site.service.refresh.issue({ userId: user.id });
}

async function passkeySignIn(site: Site) {
  const authenticator = await addPasskey(site, (await site.signInByCode()).cookie);
  const start = await site.post('/passkeys/authenticate/start', {});
  const finish = (by: typeof authenticator, tampered: object = {}) => {
    if (by !== authenticator)
      by.create({
        ...start.json.options,
        user: { id: 'AAAA', name: 'x', displayName: 'x' },
        rp: { id: 'app.test', name: 'x' },
        pubKeyCredParams: [{ alg: -7, type: 'public-key' }],
      } as never);
    const { allowCredentials: _, ...options } = start.json.options;
    const response = by.get(options, tampered);
    return site.post('/passkeys/authenticate/finish', { response }, { cookie: start.cookie('svc_webauthn') });
  };
  return { authenticator, finish };
}
