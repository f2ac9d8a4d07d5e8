// How each method refuses a sign-in, one row per cause: for the records of the audit log.
import { randomUUID } from 'node:crypto';
import type { RequestContext, ServiceUser } from 'svc-auth';
import {
  smsOutbox,
  softwareAuthenticator,
  type MockIdentityProvider,
  type SmsOutbox,
  type SoftwareAuthenticator,
} from 'svc-auth/testing';
import { codeAt, wrongCodeAt } from '../support/authenticator-app.js';
import type { StorageContext } from '../support/describe-adapters.js';
import { encryptionKey } from '../support/every-provider.js';
import { minute, proFixtures, type ProService } from '../support/make-pro-service.js';
import { errorOf } from '../support/outcomes.js';

export const password = 'correct horse battery';
const newPassword = 'staple battery horse';
const wrongPassword = 'another wrong password';

const rpId = 'app.test';
const origins = [`https://${rpId}`];

export interface World extends ProService {
  texts: SmsOutbox;
  idp: MockIdentityProvider;
  authenticator: SoftwareAuthenticator;
  context: RequestContext;
  newEmail: () => string;
}

/** Makes a refused attempt. Returns whom it is about, if the server knows. */
type Refuse = (world: World) => Promise<string | void>;
export type Row = [method: string, cause: string, reason: string, refuse: Refuse];

const wrongCode = (right: string | undefined) => (right === '111111' ? '222222' : '111111');
const tokenOf = (link: string | undefined) => new URL(link!).searchParams.get('token')!;
const oauthReasons = { canceled: 'access_denied', expired: 'expired' };

let numbers = 0;
const newNumber = () => `+1212555${String((numbers += 1)).padStart(4, '0')}`;

export function signInWorlds({ make, uniqueEmail }: Pick<StorageContext, 'make' | 'uniqueEmail'>) {
  const { makePro } = proFixtures({ make, uniqueEmail });
  return async (idp: MockIdentityProvider, ip: string): Promise<World> => {
    const texts = smsOutbox();
    const test = await makePro({ audit: true, encryptionKey, providers: {} });
    const { mail } = test;
    const providers = {
      emailCode: { sender: mail },
      magicLink: { sender: mail, baseUrl: 'https://app.test/link', withCode: true },
      emailPassword: { sender: mail, resetUrl: 'https://app.test/reset', reset: 'both' as const },
      phoneOtp: { sender: texts },
      totp: { sender: mail, email: true as const },
      webauthn: { rpId, origins, secondFactor: true },
      oauth: { acme: { ...idp.client, issuer: idp.issuer, linking: 'explicit' as const } },
    };
    const usernames = { enabled: true };
    const all = await makePro({ audit: true, encryptionKey, clock: test.clock, providers, usernames });
    const context = { ip, userAgent: 'Phone', startSession: true };
    const authenticator = softwareAuthenticator();
    return { ...all, mail, texts, idp, authenticator, context, newEmail: uniqueEmail };
  };
}

async function account({ service, newEmail }: World): Promise<ServiceUser & { email: string }> {
  const { user } = await service.emailPassword.signup({ email: newEmail(), password });
  return { ...user, email: user.email! };
}

/** Attempts until a limit refuses. The test counts the last attempt alone. */
async function untilLimited(attempt: () => Promise<unknown>): Promise<() => Promise<unknown>> {
  for (let count = 0; count < 40; count += 1) {
    const { code } = (await errorOf(attempt)) as { code?: string };
    if (code === 'rate_limit_exceeded' || code === 'max_attempts_exceeded') return attempt;
  }
  throw new Error('No limit has refused the attempts.');
}

/** A row whose preparation makes attempts itself: the last one is made by what it returns. */
export type PreparedRow = [
  method: string,
  cause: string,
  reason: RegExp,
  prepare: (world: World) => Promise<() => Promise<unknown>>,
];

async function mailedCode(world: World, email: string): Promise<string> {
  await world.service.emailCode.sendCode({ email });
  return world.mail.lastCode(email)!;
}

async function mailedLink(world: World, email: string): Promise<string> {
  await world.service.magicLink.sendLink({ email });
  return tokenOf(world.mail.lastLink(email));
}

async function textedCode(world: World, phone: string): Promise<string> {
  await world.service.phoneOtp.sendCode({ phone });
  return world.texts.lastCode(phone)!;
}

/** A user with an authenticator app who has completed the first step. */
async function pending(world: World) {
  const { service, clock, context } = world;
  const user = await account(world);
  const { secret } = await service.totp.beginEnrollment(user.id);
  await service.totp.confirmEnrollment(user.id, codeAt(secret, clock.now()));
  clock.advance(minute);
  const result = await service.emailPassword.login({ email: user.email, password }, context);
  return { user, secret, token: result.pending!.token };
}

async function passkey(world: World) {
  const { service, authenticator } = world;
  const user = await account(world);
  const started = await service.webauthn.startRegistration(user.id);
  const response = authenticator.create(started.options);
  await service.webauthn.finishRegistration({
    userId: user.id,
    response,
    expectedChallenge: started.challenge,
  });
  return user;
}

async function assertion({ service, authenticator }: World, tampering = {}) {
  const { options, challenge } = await service.webauthn.startAuthentication();
  return { response: authenticator.get(options, tampering), expectedChallenge: challenge };
}

export const rows: Row[] = [
  [
    'password_login',
    'a wrong password',
    'invalid_credentials',
    async (world) => {
      const { id, email } = await account(world);
      await errorOf(() =>
        world.service.emailPassword.login({ email, password: wrongPassword }, world.context),
      );
      return id;
    },
  ],
  [
    'password_login',
    'an unknown address',
    'invalid_credentials',
    async ({ service, newEmail, context }) => {
      await errorOf(() => service.emailPassword.login({ email: newEmail(), password }, context));
    },
  ],
  [
    'password_login',
    'the id of another user as the user name',
    'invalid_credentials',
    async (world) => {
      const { id: username } = await account(world);
      await errorOf(() => world.service.emailPassword.login({ username, password }, world.context));
    },
  ],
  [
    'password_login',
    'a blocked user',
    'user_blocked',
    async (world) => {
      const { id, email } = await account(world);
      await world.service.users.block(id);
      await errorOf(() => world.service.emailPassword.login({ email, password }, world.context));
      return id;
    },
  ],
  [
    'password_reset',
    'a forged link',
    'link_invalid',
    async ({ service, context }) => {
      await errorOf(() => service.emailPassword.setPassword({ token: 'forged', newPassword }, context));
    },
  ],
  [
    'password_reset',
    'no code',
    'code_not_found',
    async (world) => {
      const { id, email } = await account(world);
      const sent = { email, code: '111111', newPassword };
      await errorOf(() => world.service.emailPassword.setPassword(sent, world.context));
      return id;
    },
  ],
  [
    'password_change',
    'a wrong password',
    'current_password_wrong',
    async (world) => {
      const { id: userId } = await account(world);
      const change = { userId, currentPassword: wrongPassword, newPassword };
      await errorOf(() => world.service.emailPassword.changePassword(change, world.context));
      return userId;
    },
  ],
  [
    'email_code',
    'a wrong code',
    'code_invalid',
    async (world) => {
      const { id, email } = await account(world);
      const code = wrongCode(await mailedCode(world, email));
      await errorOf(() => world.service.emailCode.verify({ email, code }, world.context));
      return id;
    },
  ],
  [
    'email_code',
    'an expired code',
    'code_expired',
    async (world) => {
      const { id, email } = await account(world);
      const code = await mailedCode(world, email);
      world.clock.advance(30 * minute);
      await errorOf(() => world.service.emailCode.verify({ email, code }, world.context));
      return id;
    },
  ],
  [
    'email_code',
    'an unknown address',
    'code_not_found',
    async ({ service, newEmail, context }) => {
      await errorOf(() => service.emailCode.verify({ email: newEmail(), code: '111111' }, context));
    },
  ],
  [
    'email_code',
    'a blocked user',
    'user_blocked',
    async (world) => {
      const { id, email } = await account(world);
      const proof = await mailedCode(world, email);
      await world.service.emailCode.verify({ email, code: proof });
      await world.service.users.block(id);
      const code = await mailedCode(world, email);
      await errorOf(() => world.service.emailCode.verify({ email, code }, world.context));
      return id;
    },
  ],
  [
    'magic_link',
    'a forged link',
    'link_invalid',
    async ({ service, context }) => {
      await errorOf(() => service.magicLink.verify('forged', context));
    },
  ],
  [
    'magic_link',
    'a used link',
    'link_invalid',
    async (world) => {
      const { id, email } = await account(world);
      const token = await mailedLink(world, email);
      await world.service.magicLink.verify(token);
      await errorOf(() => world.service.magicLink.openLink({ token }, world.context));
      return id;
    },
  ],
  [
    'magic_link',
    'an expired link',
    'link_expired',
    async (world) => {
      const token = await mailedLink(world, world.newEmail());
      world.clock.advance(60 * minute);
      await errorOf(() => world.service.magicLink.verify(token, world.context));
    },
  ],
  [
    'magic_link',
    'a wrong code',
    'code_invalid',
    async (world) => {
      const { id, email } = await account(world);
      await mailedLink(world, email);
      const code = wrongCode(world.mail.lastCode(email));
      await errorOf(() => world.service.magicLink.verifyCode({ email, code }, world.context));
      return id;
    },
  ],
  [
    'phone_code',
    'a wrong code',
    'code_invalid',
    async (world) => {
      const phone = newNumber();
      const { user } = await world.service.phoneOtp.verify({ phone, code: await textedCode(world, phone) });
      const code = wrongCode(await textedCode(world, phone));
      await errorOf(() => world.service.phoneOtp.verify({ phone, code }, world.context));
      return user.id;
    },
  ],
  [
    'phone_code',
    'an expired code',
    'code_expired',
    async (world) => {
      const phone = newNumber();
      const code = await textedCode(world, phone);
      world.clock.advance(30 * minute);
      await errorOf(() => world.service.phoneOtp.verify({ phone, code }, world.context));
    },
  ],
  [
    'phone_code',
    'a blocked user',
    'user_blocked',
    async (world) => {
      const phone = newNumber();
      const { user } = await world.service.phoneOtp.verify({ phone, code: await textedCode(world, phone) });
      await world.service.users.block(user.id);
      const code = await textedCode(world, phone);
      await errorOf(() => world.service.phoneOtp.verify({ phone, code }, world.context));
      return user.id;
    },
  ],
  [
    'password_login+totp',
    'a wrong code',
    'code_invalid',
    async (world) => {
      const { user, secret, token } = await pending(world);
      const code = wrongCodeAt(secret, world.clock.now());
      await errorOf(() => world.service.totp.finishSignIn({ token, code }, world.context));
      return user.id;
    },
  ],
  [
    'password_login+recovery_code',
    'a wrong recovery code',
    'code_invalid',
    async (world) => {
      const { user, token } = await pending(world);
      const recoveryCode = 'AAAAA-BBBBB';
      await errorOf(() => world.service.totp.finishSignIn({ token, recoveryCode }, world.context));
      return user.id;
    },
  ],
  [
    'second_factor',
    'an expired first step',
    'pending_sign_in_ended',
    async (world) => {
      const { token } = await pending(world);
      world.clock.advance(30 * minute);
      await errorOf(() => world.service.totp.finishSignIn({ token, code: '111111' }, world.context));
    },
  ],
  [
    'second_factor',
    'a blocked user',
    'epoch_passed',
    async (world) => {
      const { user, token, secret } = await pending(world);
      await world.service.users.block(user.id);
      const code = codeAt(secret, world.clock.now());
      await errorOf(() => world.service.totp.finishSignIn({ token, code }, world.context));
      return user.id;
    },
  ],
  [
    'second_factor',
    'a method that the user does not have',
    'second_factor_unavailable',
    async (world) => {
      const { user, token } = await pending(world);
      const input = { token, code: '111111' };
      await errorOf(() => world.service.secondFactor.finishWithEmailCode(input, world.context));
      return user.id;
    },
  ],
  [
    'passkey',
    'a response for another site',
    'passkey_invalid',
    async (world) => {
      const user = await passkey(world);
      const input = await assertion(world, { origin: 'https://evil.test' });
      await errorOf(() => world.service.webauthn.finishAuthentication(input, world.context));
      return user.id;
    },
  ],
  [
    'passkey',
    'an unknown passkey',
    'passkey_unknown',
    async (world) => {
      const input = await assertion({ ...world, authenticator: await unknownAuthenticator(world) });
      await errorOf(() => world.service.webauthn.finishAuthentication(input, world.context));
    },
  ],
  [
    'passkey',
    'an unknown passkey and the id of another user, which the client names',
    'passkey_challenge_invalid',
    async (world) => {
      const { id: userId } = await account(world);
      const input = await assertion({ ...world, authenticator: await unknownAuthenticator(world) });
      const forged = { ...input, userId, expectedChallenge: randomUUID() };
      await errorOf(() => world.service.webauthn.finishAuthentication(forged, world.context));
    },
  ],
  [
    'passkey',
    'an unknown passkey and the id of no user',
    'passkey_unknown',
    async (world) => {
      const input = await assertion({ ...world, authenticator: await unknownAuthenticator(world) });
      const forged = { ...input, userId: randomUUID() };
      await errorOf(() => world.service.webauthn.finishAuthentication(forged, world.context));
    },
  ],
  [
    'passkey',
    'a passkey of another user than the client names',
    'passkey_other_user',
    async (world) => {
      const { id } = await passkey(world);
      const { id: userId } = await account(world);
      const input = { ...(await assertion(world)), userId };
      await errorOf(() => world.service.webauthn.finishAuthentication(input, world.context));
      return id;
    },
  ],
  [
    'passkey',
    'a forged challenge',
    'passkey_challenge_invalid',
    async (world) => {
      await passkey(world);
      const input = { ...(await assertion(world)), expectedChallenge: randomUUID() };
      await errorOf(() => world.service.webauthn.finishAuthentication(input, world.context));
    },
  ],
  [
    'passkey',
    'a blocked user',
    'user_blocked',
    async (world) => {
      const user = await passkey(world);
      await world.service.users.block(user.id);
      const input = await assertion(world);
      await errorOf(() => world.service.webauthn.finishAuthentication(input, world.context));
      return user.id;
    },
  ],
  [
    'acme',
    'a code that the provider refuses',
    'provider_error',
    async ({ service, context }) => {
      const code = { code: 'forged', codeVerifier: 'v'.repeat(43) };
      await errorOf(() => service.oauth('acme').handleCallback(code, context));
    },
  ],
  [
    'acme',
    'a cancellation',
    oauthReasons.canceled,
    async ({ service, idp, context }) => {
      const { state, transaction } = await service.oauth('acme').startRedirect();
      const query = new URLSearchParams({ error: 'access_denied', state, iss: idp.issuer });
      await errorOf(() => service.oauth('acme').finishRedirect(query, transaction, context));
    },
  ],
  [
    'acme',
    'a redirect that this browser has not started',
    oauthReasons.expired,
    async ({ service, context }) => {
      const query = new URLSearchParams({ code: 'code', state: 'state' });
      await errorOf(() => service.oauth('acme').finishRedirect(query, undefined, context));
    },
  ],
  [
    'acme',
    'an account with the same address',
    'email_exists',
    async (world) => {
      const { service, idp, context } = world;
      const { id, email } = await account(world);
      const subject = randomUUID();
      idp.accounts.set(subject, { email, email_verified: true });
      const { url, transaction } = await service.oauth('acme').startRedirect();
      const query = (await idp.signIn(url, subject)).searchParams;
      await errorOf(() => service.oauth('acme').finishRedirect(query, transaction, context));
      return id;
    },
  ],
  [
    'acme',
    'a blocked user',
    'user_blocked',
    async ({ service, idp, context }) => {
      const subject = randomUUID();
      idp.accounts.set(subject, {});
      const signIn = async () => {
        const { url, transaction } = await service.oauth('acme').startRedirect();
        const query = (await idp.signIn(url, subject)).searchParams;
        return service.oauth('acme').finishRedirect(query, transaction, context);
      };
      const { user } = await signIn();
      await service.users.block(user.id);
      await errorOf(signIn);
      return user.id;
    },
  ],
];

export const limitedRows: PreparedRow[] = [
  [
    'password_login',
    'wrong passwords',
    /^limit:login:/,
    async (world) => {
      const { email } = await account(world);
      return untilLimited(() =>
        world.service.emailPassword.login({ email, password: wrongPassword }, world.context),
      );
    },
  ],
  [
    'password_change',
    'wrong passwords',
    /^limit:login/,
    async (world) => {
      const { id: userId } = await account(world);
      const change = { userId, currentPassword: wrongPassword, newPassword };
      return untilLimited(() => world.service.emailPassword.changePassword(change, world.context));
    },
  ],
  [
    'email_code',
    'wrong codes',
    /^(limit:guess|max_attempts_exceeded)/,
    async (world) => {
      const { email } = await account(world);
      const code = wrongCode(await mailedCode(world, email));
      return untilLimited(() => world.service.emailCode.verify({ email, code }, world.context));
    },
  ],
  [
    'phone_code',
    'wrong codes',
    /^(limit:guess|max_attempts_exceeded)/,
    async (world) => {
      const phone = newNumber();
      const code = wrongCode(await textedCode(world, phone));
      return untilLimited(() => world.service.phoneOtp.verify({ phone, code }, world.context));
    },
  ],
  [
    'password_login+totp',
    'wrong codes',
    /^limit:totp/,
    async (world) => {
      const { secret, token } = await pending(world);
      const code = wrongCodeAt(secret, world.clock.now());
      return untilLimited(() => world.service.totp.finishSignIn({ token, code }, world.context));
    },
  ],
];

async function unknownAuthenticator(world: World): Promise<SoftwareAuthenticator> {
  const { service } = world;
  const authenticator = softwareAuthenticator();
  const user = await account(world);
  // Never registered: the authenticator has a key that the service does not know.
  authenticator.create((await service.webauthn.startRegistration(user.id)).options);
  return authenticator;
}
