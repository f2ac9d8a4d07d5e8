/** What an attacker does, one step after another, in an account with somebody else's address, and what is kept of each step. */
import { softwareAuthenticator } from 'svc-auth/testing';
import { codeAt } from '../../support/authenticator-app.js';
import { cookiesOf, sessionUser, doors, signInElsewhere, userOf, type Stage } from './stage.js';

/** Something that the attacker keeps. */
export interface Loot {
  name: string;
  /** Uses it: the id of the user it reaches, or null. */
  reaches: () => Promise<string | null>;
}

/** The account as the attacker has it. */
export interface Foothold {
  stage: Stage;
  /** Of the victim. */
  email: string;
  userId: string;
  /** Of the attacker's session, which some steps replace. */
  cookie: string;
}

export const attackersPassword = 'chosen by the attacker';
const step = 30_000;

export async function signsUp(stage: Stage, email: string): Promise<Foothold> {
  const answer = await stage.post('/password/signup', { email, password: attackersPassword });
  expect(answer.status).toBe(200);
  return { stage, email, userId: answer.json.user.id as string, cookie: answer.cookie() };
}

/** An application that knows a number by itself makes the guest a user with that number, and believes the address. */
export async function upgradesGuestByPhone(
  stage: Stage,
  email: string,
): Promise<Foothold & { phone: string }> {
  const { service, phone: newNumber } = stage;
  const { user } = await service.sessionsProvider.createGuest();
  const [userId, phone] = [user.id, newNumber()];
  const identity = { provider: 'phone', providerAccountId: phone };
  await service.sessionsProvider.upgrade({ userId, ...identity, email, emailVerified: true });
  // The tokens of the guest end with that moment.
  stage.clock.advance(1);
  const { token } = await service.sessionsProvider.create({ userId });
  return { stage, email, userId, cookie: `svc_session=${token}`, phone };
}

export function keepsPassword({ stage, email, userId }: Foothold): Loot[] {
  const reaches = async () => {
    const answer = await stage.post('/password/login', { email, password: attackersPassword });
    // The second factor is asked for where the first was right.
    return answer.json.error === 'mfa_required' ? userId : userOf(stage, answer);
  };
  return [{ name: 'password', reaches }];
}

export function keepsSession({ stage, userId, cookie }: Foothold): Loot[] {
  const { token } = stage.service.createSessionToken(userId);
  return [
    { name: 'session', reaches: () => sessionUser(stage, cookie) },
    { name: 'token without a row', reaches: () => sessionUser(stage, `svc_session=${token}`) },
  ];
}

export async function issuesTokens({ stage, cookie }: Foothold): Promise<Loot[]> {
  const { json } = await stage.post('/token/issue', {}, { cookie });
  const userOfAccess = async (token: string) => {
    const answer = await stage.get('/session', { headers: { Authorization: `Bearer ${token}` } });
    return answer.status === 200 ? (answer.json.user.id as string) : null;
  };
  return [
    { name: 'access token', reaches: () => userOfAccess(json.accessToken as string) },
    {
      name: 'refresh token',
      async reaches() {
        const answer = await stage.post('/token/refresh', { refreshToken: json.refreshToken });
        return answer.status === 200 ? userOfAccess(answer.json.accessToken as string) : null;
      },
    },
  ];
}

export async function createsApiKey({ stage, cookie }: Foothold): Promise<Loot[]> {
  const { json } = await stage.post('/api-keys', { name: 'CI', scopes: ['read'] }, { cookie });
  const reaches = () =>
    stage.service.apiKeys.verify(json.key as string).then(
      ({ userId }) => userId,
      () => null,
    );
  return [{ name: 'API key', reaches }];
}

/** Registers a passkey, and begins to register another. */
export async function registersPasskeys({ stage, userId, cookie }: Foothold): Promise<Loot[]> {
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
  const made = await begin();
  const finished = await stage.post(
    '/passkeys/register/finish',
    { response: made.response },
    { cookie: made.both },
  );
  expect(finished.status).toBe(200);
  const [overHttp, fromCode] = [await begin(), await begin()];
  return [
    { name: 'passkey', reaches: () => signsIn(made.authenticator) },
    {
      name: 'registration of a passkey under way',
      async reaches() {
        const { response, both, authenticator } = overHttp;
        await stage.post('/passkeys/register/finish', { response }, { cookie: both });
        return signsIn(authenticator);
      },
    },
    {
      name: 'challenge of a passkey, whoever asks the session',
      async reaches() {
        const { response, challenge, authenticator } = fromCode;
        const input = { userId, response, expectedChallenge: challenge };
        await stage.service.webauthn.finishRegistration(input).catch(() => undefined);
        return signsIn(authenticator);
      },
    },
  ];
}

/** Links an account at the provider, begins to link another, and begins a sign-in by the first. */
export async function linksIdentities({ stage, cookie }: Foothold): Promise<Loot[]> {
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
      reaches: async () => userOf(stage, await signInElsewhere(stage, 'oauth/acme', linked.subject)),
    },
    {
      name: 'callback under way',
      reaches: async () =>
        userOf(stage, await stage.get(`/oauth/acme/callback${search}`, { cookie: cookiesOf(started) })),
    },
    {
      name: 'link under way',
      async reaches() {
        await later.finish();
        return userOf(stage, await signInElsewhere(stage, 'oauth/acme', later.subject));
      },
    },
  ];
}

/** Enables a second factor, and shows the password to have sign-ins wait for it. The session is another afterwards. */
export async function enrolsApp(foothold: Foothold): Promise<Loot[]> {
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
      name: 'sign-in that waits for a code',
      reaches: () => finish(first, { code: codeAt(secret, stage.clock.now() + step) }),
    },
    { name: 'sign-in that waits for a recovery code', reaches: () => finish(second, { recoveryCode }) },
    {
      name: 'recovery code, whoever asks for the first factor',
      async reaches() {
        const right = await stage.service.totp.verifyRecoveryCode(userId, another!).catch(() => false);
        return right ? userId : null;
      },
    },
  ];
}

/** Begins to enrol an app, and keeps the secret. */
export async function beginsToEnrol({ stage, cookie, userId }: Foothold): Promise<Loot[]> {
  const { secret } = (await stage.post('/totp/enroll', undefined, { cookie })).json as { secret: string };
  const reaches = async () => {
    const code = codeAt(secret, stage.clock.now());
    await stage.service.totp.confirmEnrollment(userId, code).catch(() => undefined);
    const next = codeAt(secret, stage.clock.now() + step);
    return (await stage.service.totp.verify(userId, next).catch(() => false)) ? userId : null;
  };
  return [{ name: 'enrolment under way', reaches }];
}

/** Asks to move the account to a mailbox of the attacker's, and keeps the code from there. */
export async function beginsEmailChange({ stage, cookie, userId }: Foothold): Promise<Loot[]> {
  const email = stage.address();
  const sent = await stage.post('/account/email', { email }, { cookie });
  expect(sent.status).toBe(200);
  const body = { email, code: stage.mail.lastCode(email), currentCode: '000000' };
  const holder = async () => (await stage.adapter.users.findByEmail(email))?.id ?? null;
  return [
    {
      name: 'change of the address under way, by the session',
      async reaches() {
        await stage.post('/account/email/confirm', body, { cookie });
        return holder();
      },
    },
    {
      name: 'change of the address under way, whoever asks the session',
      async reaches() {
        const input = { userId, email, code: body.code!, currentCode: body.currentCode };
        await stage.service.account.confirmEmailChange(input).catch(() => undefined);
        return holder();
      },
    },
  ];
}

/** Has mails sent to the victim, whose mailbox keeps them; one who reads over a shoulder has them too. */
export async function hasMailsSent({ stage, email, cookie }: Foothold): Promise<Loot[]> {
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
      name: 'verification, once more',
      async reaches() {
        const answer = await stage.post('/account/verify-email', { code: verification }, { cookie });
        return answer.status === 200 ? (answer.json.user.id as string) : null;
      },
    },
    {
      name: 'earlier link',
      reaches: async () => userOf(stage, await stage.get(`/magic-link/verify?token=${link}`)),
    },
    {
      name: 'earlier code',
      reaches: async () => userOf(stage, await stage.post('/email-code/verify', { email, code })),
    },
    {
      name: 'earlier reset',
      async reaches() {
        const body = { token: reset, newPassword: attackersPassword };
        const answer = await stage.post('/password/reset', body);
        return answer.status === 200 ? (answer.json.user.id as string) : null;
      },
    },
  ];
}

export function keepsPhone({ stage, phone }: { stage: Stage; phone: string }): Loot[] {
  const reaches = async () => {
    await stage.post('/phone/send', { phone });
    const code = stage.texts.lastCode(phone);
    return userOf(stage, await stage.post('/phone/verify', { phone, code }));
  };
  return [{ name: 'phone number', reaches }];
}

/** The attacker's account at a provider that lets anybody enter any address and does not say that it is verified. */
export function entersAddressElsewhere(stage: Stage, email: string): Loot[] {
  return [false, 'true', undefined].map((email_verified) => {
    const subject = stage.accountElsewhere({ email, email_verified });
    return {
      name: `identity with the address, email_verified ${String(email_verified)}`,
      async reaches() {
        const users = [];
        for (const door of doors)
          users.push(await userOf(stage, await signInElsewhere(stage, door, subject)));
        const victim = (await stage.adapter.users.findByEmail(email))?.id;
        return users.find((user) => user === victim) ?? null;
      },
    };
  });
}
