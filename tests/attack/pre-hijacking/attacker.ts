/** The steps of an attacker in an account with the victim's address, and the credentials that each step leaves behind. */
import { softwareAuthenticator } from 'svc-auth/testing';
import { codeAt } from '../../support/authenticator-app.js';
import { cookiesOf, sessionUser, providerRoutes, signInElsewhere, userOf, type Stage } from './stage.js';

/** A credential that the attacker keeps. */
export interface KeptCredential {
  name: string;
  /** Uses it, and resolves with the id of the user it authenticates, or null. */
  use: () => Promise<string | null>;
}

/** The account as the attacker controls it. */
export interface Foothold {
  stage: Stage;
  /** The victim's address. */
  email: string;
  userId: string;
  /** The attacker's session, which some steps replace. */
  cookie: string;
}

export const attackersPassword = 'chosen by the attacker';
const step = 30_000;

export async function signsUp(stage: Stage, email: string): Promise<Foothold> {
  const response = await stage.post('/password/signup', { email, password: attackersPassword });
  expect(response.status).toBe(200);
  return { stage, email, userId: response.json.user.id as string, cookie: response.cookie() };
}

/** Upgrades a guest with a phone number and the unverified claim of an address, as an application could. */
export async function upgradesGuestByPhone(
  stage: Stage,
  email: string,
): Promise<Foothold & { phone: string }> {
  const { service, phone: newNumber } = stage;
  const { user } = await service.sessionsProvider.createGuest();
  const [userId, phone] = [user.id, newNumber()];
  const identity = { provider: 'phone', providerAccountId: phone };
  await service.sessionsProvider.upgrade({ userId, ...identity, email, emailVerified: true });
  // Tokens of the guest are revoked at that moment.
  stage.clock.advance(1);
  const { token } = await service.sessionsProvider.create({ userId });
  return { stage, email, userId, cookie: `svc_session=${token}`, phone };
}

export function keepsPassword({ stage, email, userId }: Foothold): KeptCredential[] {
  const use = async () => {
    const response = await stage.post('/password/login', { email, password: attackersPassword });
    // The second factor is requested only after a correct password.
    return response.json.error === 'mfa_required' ? userId : userOf(stage, response);
  };
  return [{ name: 'password', use }];
}

export function keepsSession({ stage, userId, cookie }: Foothold): KeptCredential[] {
  const { token } = stage.service.createSessionToken(userId);
  return [
    { name: 'session', use: () => sessionUser(stage, cookie) },
    { name: 'stateless token', use: () => sessionUser(stage, `svc_session=${token}`) },
  ];
}

export async function issuesTokens({ stage, cookie }: Foothold): Promise<KeptCredential[]> {
  const { json } = await stage.post('/token/issue', {}, { cookie });
  const userOfAccess = async (token: string) => {
    const response = await stage.get('/session', { headers: { Authorization: `Bearer ${token}` } });
    return response.status === 200 ? (response.json.user.id as string) : null;
  };
  return [
    { name: 'access token', use: () => userOfAccess(json.accessToken as string) },
    {
      name: 'refresh token',
      async use() {
        const response = await stage.post('/token/refresh', { refreshToken: json.refreshToken });
        return response.status === 200 ? userOfAccess(response.json.accessToken as string) : null;
      },
    },
  ];
}

export async function createsApiKey({ stage, cookie }: Foothold): Promise<KeptCredential[]> {
  const { json } = await stage.post('/api-keys', { name: 'CI', scopes: ['read'] }, { cookie });
  const use = () =>
    stage.service.apiKeys.verify(json.key as string).then(
      ({ userId }) => userId,
      () => null,
    );
  return [{ name: 'API key', use }];
}

/** Registers a passkey, and starts to register two others. */
export async function registersPasskeys({ stage, userId, cookie }: Foothold): Promise<KeptCredential[]> {
  const begin = async () => {
    const authenticator = softwareAuthenticator();
    const started = await stage.post('/passkeys/register/start', undefined, { cookie });
    const challenge = started.json.options.challenge as string;
    const response = authenticator.create(started.json.options as Parameters<typeof authenticator.create>[0]);
    return { authenticator, response, challenge, both: `${cookie}; ${cookiesOf(started)}` };
  };
  const signsIn = async (authenticator: ReturnType<typeof softwareAuthenticator>) => {
    const started = await stage.post('/passkeys/authenticate/start');
    const response = authenticator.get(started.json.options as Parameters<typeof authenticator.get>[0]);
    return userOf(
      stage,
      await stage.post('/passkeys/authenticate/finish', { response }, { cookie: cookiesOf(started) }),
    );
  };
  const started = await begin();
  const finished = await stage.post(
    '/passkeys/register/finish',
    { response: started.response },
    { cookie: started.both },
  );
  expect(finished.status).toBe(200);
  const [overHttp, fromCode] = [await begin(), await begin()];
  return [
    { name: 'passkey', use: () => signsIn(started.authenticator) },
    {
      name: 'pending registration of a passkey',
      async use() {
        const { response, both, authenticator } = overHttp;
        await stage.post('/passkeys/register/finish', { response }, { cookie: both });
        return signsIn(authenticator);
      },
    },
    {
      name: 'challenge of a passkey, from any session',
      async use() {
        const { response, challenge, authenticator } = fromCode;
        const input = { userId, response, expectedChallenge: challenge };
        await stage.service.webauthn.finishRegistration(input).catch(() => undefined);
        return signsIn(authenticator);
      },
    },
  ];
}

/** Links an account at the provider, starts to link another one, and starts a sign-in with the first. */
export async function linksIdentities({ stage, cookie }: Foothold): Promise<KeptCredential[]> {
  const begin = async () => {
    const subject = stage.accountElsewhere({});
    const started = await stage.post('/oauth/acme/link', {}, { cookie });
    const { search } = await stage.idps['oauth/acme'].signIn(started.json.url as string, subject);
    const finish = () =>
      stage.get(`/oauth/acme/callback${search}`, { cookie: `${cookie}; ${cookiesOf(started)}` });
    return { subject, finish };
  };
  const linked = await begin();
  await linked.finish();
  const later = await begin();
  const started = await stage.get('/oauth/acme/start');
  const { search } = await stage.idps['oauth/acme'].signIn(started.location!, linked.subject);
  return [
    {
      name: 'linked identity',
      use: async () => userOf(stage, await signInElsewhere(stage, 'oauth/acme', linked.subject)),
    },
    {
      name: 'pending callback',
      use: async () =>
        userOf(stage, await stage.get(`/oauth/acme/callback${search}`, { cookie: cookiesOf(started) })),
    },
    {
      name: 'pending link',
      async use() {
        await later.finish();
        return userOf(stage, await signInElsewhere(stage, 'oauth/acme', later.subject));
      },
    },
  ];
}

/** Enables a second factor, and starts two sign-ins that wait for it. Replaces the session. */
export async function enrollsApp(foothold: Foothold): Promise<KeptCredential[]> {
  const { stage, email, cookie, userId } = foothold;
  const { secret } = (await stage.post('/totp/enroll', undefined, { cookie })).json as { secret: string };
  const code = codeAt(secret, stage.clock.now());
  const confirmed = await stage.post('/totp/confirm', { code }, { cookie });
  foothold.cookie = confirmed.cookie();
  const [recoveryCode, another] = confirmed.json.recoveryCodes as string[];
  const waiting = async () =>
    (await stage.post('/password/login', { email, password: attackersPassword })).cookie('svc_mfa');
  const [first, second] = [await waiting(), await waiting()];
  const finish = async (mfa: string, body: object) =>
    userOf(stage, await stage.post('/mfa/verify', body, { cookie: mfa }));
  return [
    {
      name: 'pending sign-in, finished with a code',
      use: () => finish(first, { code: codeAt(secret, stage.clock.now() + step) }),
    },
    { name: 'pending sign-in, finished with a recovery code', use: () => finish(second, { recoveryCode }) },
    {
      name: 'recovery code, after any first factor',
      async use() {
        const right = await stage.service.totp.verifyRecoveryCode(userId, another!).catch(() => false);
        return right ? userId : null;
      },
    },
  ];
}

/** Starts to enroll an authenticator app, and keeps the secret. */
export async function startsEnrollment({ stage, cookie, userId }: Foothold): Promise<KeptCredential[]> {
  const { secret } = (await stage.post('/totp/enroll', undefined, { cookie })).json as { secret: string };
  const use = async () => {
    const code = codeAt(secret, stage.clock.now());
    await stage.service.totp.confirmEnrollment(userId, code).catch(() => undefined);
    const next = codeAt(secret, stage.clock.now() + step);
    return (await stage.service.totp.verify(userId, next).catch(() => false)) ? userId : null;
  };
  return [{ name: 'pending enrollment', use }];
}

/** Requests a change to a mailbox of the attacker, and keeps the code sent there. */
export async function beginsEmailChange({ stage, cookie, userId }: Foothold): Promise<KeptCredential[]> {
  const email = stage.uniqueEmail();
  const sent = await stage.post('/account/email', { email }, { cookie });
  expect(sent.status).toBe(200);
  const body = { email, code: stage.mail.lastCode(email), currentCode: '000000' };
  const ownerOfAddress = async () => (await stage.adapter.users.findByEmail(email))?.id ?? null;
  return [
    {
      name: 'pending change of address, from the same session',
      async use() {
        await stage.post('/account/email/confirm', body, { cookie });
        return ownerOfAddress();
      },
    },
    {
      name: 'pending change of address, from any session',
      async use() {
        const input = { userId, email, code: body.code!, currentCode: body.currentCode };
        await stage.service.account.confirmEmailChange(input).catch(() => undefined);
        return ownerOfAddress();
      },
    },
  ];
}

/** Has mails sent to the victim; an attacker who can see the mailbox briefly has them too. */
export async function hasMailsSent({ stage, email, cookie }: Foothold): Promise<KeptCredential[]> {
  await stage.post('/magic-link/send', { email });
  const link = stage.mailedToken(email);
  await stage.post('/password/request-reset', { email });
  await stage.settle();
  const reset = stage.mailedToken(email);
  await stage.post('/email-code/send', { email });
  const code = stage.mail.lastCode(email);
  await stage.post('/account/verify-email/send', undefined, { cookie });
  const verification = stage.mail.lastCode(email);
  return [
    {
      name: 'verification code, used again',
      async use() {
        const response = await stage.post('/account/verify-email', { code: verification }, { cookie });
        return response.status === 200 ? (response.json.user.id as string) : null;
      },
    },
    {
      name: 'earlier link',
      use: async () => userOf(stage, await stage.get(`/magic-link/verify?token=${link}`)),
    },
    {
      name: 'earlier code',
      use: async () => userOf(stage, await stage.post('/email-code/verify', { email, code })),
    },
    {
      name: 'earlier reset',
      async use() {
        const body = { token: reset, newPassword: attackersPassword };
        const response = await stage.post('/password/reset', body);
        return response.status === 200 ? (response.json.user.id as string) : null;
      },
    },
  ];
}

export function keepsPhone({ stage, phone }: { stage: Stage; phone: string }): KeptCredential[] {
  const use = async () => {
    await stage.post('/phone/send', { phone });
    const code = stage.texts.lastCode(phone);
    return userOf(stage, await stage.post('/phone/verify', { phone, code }));
  };
  return [{ name: 'phone number', use }];
}

/** Creates accounts at a provider that accepts any address and does not mark it as verified. */
export function entersAddressElsewhere(stage: Stage, email: string): KeptCredential[] {
  return [false, 'true', undefined].map((email_verified) => {
    const subject = stage.accountElsewhere({ email, email_verified });
    return {
      name: `identity with the address, email_verified ${String(email_verified)}`,
      async use() {
        const users = [];
        for (const route of providerRoutes)
          users.push(await userOf(stage, await signInElsewhere(stage, route, subject)));
        const victim = (await stage.adapter.users.findByEmail(email))?.id;
        return users.find((user) => user === victim) ?? null;
      },
    };
  });
}
