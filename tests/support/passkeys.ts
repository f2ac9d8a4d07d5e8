/** Fixtures of the passkey tests: services, users with passkeys, and the records that are stored for them. */
import { createHash } from 'node:crypto';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { RequestContext, ServiceUser } from 'svc-auth';
import { softwareAuthenticator, type TamperOptions, type SoftwareAuthenticator } from 'svc-auth/testing';
import type { StorageContext } from './describe-adapters.js';
import { proFixtures, type ProService } from './make-pro-service.js';
import type { Overrides } from './make-service.js';
import { outcomeOf } from './outcomes.js';

export const rpId = 'acme.test';
export const origins = ['https://acme.test', 'https://login.acme.test:8443'];

type WebAuthnOverrides = NonNullable<Overrides['providers']>['webauthn'] & object;

export interface PasskeyUser {
  test: ProService;
  user: ServiceUser;
  authenticator: SoftwareAuthenticator;
}

/** Changes a response between the browser and the server. */
export type ResponseChange<Response> = (response: Response) => unknown;

export type RegistrationResponse = RegistrationResponseJSON;
export type AuthenticationResponse = AuthenticationResponseJSON;

export const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');

/** Replaces fields of the authenticator's response. */
export const withResponse =
  (changes: object) => (response: RegistrationResponse | AuthenticationResponse) => ({
    ...response,
    response: { ...response.response, ...changes },
  });

/** Replaces or adds fields of the client data. */
export const withClientData =
  <Response extends RegistrationResponse | AuthenticationResponse>(
    changes: object,
  ): ResponseChange<Response> =>
  (response) => {
    const clientData = JSON.parse(
      Buffer.from(response.response.clientDataJSON, 'base64url').toString(),
    ) as object;
    const clientDataJSON = base64url(JSON.stringify({ ...clientData, ...changes }));
    return { ...response, response: { ...response.response, clientDataJSON } };
  };

/** The hash of the client data, which is part of the signed bytes. */
export const clientDataHash = (clientDataJSON: string) =>
  createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();

/** Fields that a tampered response carries, in either ceremony. */
export const tamperedFields: [string, TamperOptions][] = [
  ['the origin of another site', { origin: 'https://evil.test' }],
  ['the origin of another port', { origin: 'https://acme.test:444' }],
  ['the origin of a subdomain', { origin: 'https://sub.acme.test' }],
  ['the origin of another scheme', { origin: 'http://acme.test' }],
  ['the origin in upper case', { origin: 'https://ACME.test' }],
  ['an origin with a slash', { origin: 'https://acme.test/' }],
  ['an origin with the expected origin as a prefix', { origin: 'https://acme.test.evil.test' }],
  ['no origin', { origin: '' }],
  ['the origin null', { origin: 'null' }],
  ['another challenge', { challenge: base64url('another challenge of 32 bytes..!') }],
  ['no challenge', { challenge: '' }],
  ['another type', { type: 'payment.get' }],
  ['another domain', { rpId: 'evil.test' }],
  ['a subdomain for the domain', { rpId: 'login.acme.test' }],
  ['no user presence', { userPresent: false }],
  ['the backed-up flag without backup eligibility', { backedUp: true }],
  ['a cross-origin frame', { crossOrigin: true }],
];

export function passkeyFixtures({ make, uniqueEmail, adapter }: StorageContext) {
  const { makePro, verifiedUser, unverifiedUser, userWithoutAddress } = proFixtures({ make, uniqueEmail });

  const makePasskeys = (webauthn: WebAuthnOverrides = {}, overrides: Overrides = {}) =>
    makePro({
      encryptionKey: 'the key of these tests, 32 bytes or more',
      ...overrides,
      providers: { totp: true, ...overrides.providers, webauthn: { rpId, origins, ...webauthn } },
    });

  /** The input of `finishRegistration`, as the user's browser sends it. */
  const beginRegistration = async ({ test, user, authenticator }: PasskeyUser) => {
    const { options, challenge } = await test.service.webauthn.startRegistration(user.id);
    const response = authenticator.create(options);
    return { userId: user.id, response, expectedChallenge: challenge };
  };
  /** The input of `finishAuthentication`, as the user's browser sends it. */
  const beginSignIn = async ({ test, authenticator }: PasskeyUser, as?: string) => {
    const { options, challenge } = await test.service.webauthn.startAuthentication(as);
    return { response: authenticator.get(options), expectedChallenge: challenge };
  };

  /** Runs a whole registration. */
  async function register(
    { test, user, authenticator }: PasskeyUser,
    tampering: TamperOptions = {},
    change: ResponseChange<RegistrationResponse> = (response) => response,
  ) {
    const { options, challenge } = await test.service.webauthn.startRegistration(user.id);
    const response = change(authenticator.create(options, tampering)) as RegistrationResponse;
    const { credential } = await test.service.webauthn.finishRegistration({
      userId: user.id,
      response,
      expectedChallenge: challenge,
    });
    return credential;
  }

  /** Runs a whole sign-in, for the user `as` if it is set, otherwise with a discoverable credential. */
  async function signIn(
    { test, authenticator }: Pick<PasskeyUser, 'test' | 'authenticator'>,
    as?: string,
    tampering: TamperOptions = {},
    change: ResponseChange<AuthenticationResponse> = (response) => response,
    context: RequestContext = { startSession: true },
  ) {
    const { options, challenge } = await test.service.webauthn.startAuthentication(as);
    const response = change(authenticator.get(options, tampering)) as AuthenticationResponse;
    return test.service.webauthn.finishAuthentication(
      { ...(as !== undefined && { userId: as }), response, expectedChallenge: challenge },
      context,
    );
  }

  async function passkeyUser(
    options: Parameters<typeof softwareAuthenticator>[0] = {},
    test?: ProService,
  ): Promise<PasskeyUser> {
    const proService = test ?? (await makePasskeys());
    return {
      test: proService,
      user: await verifiedUser(proService),
      authenticator: softwareAuthenticator(options),
    };
  }

  /** Creates a user with one passkey and discards the events of it. */
  async function registeredUser(
    options: Parameters<typeof softwareAuthenticator>[0] = {},
    test?: ProService,
  ) {
    const holder = await passkeyUser(options, test);
    const credential = await register(holder);
    await holder.test.takeEvents();
    return { ...holder, credential };
  }

  const signInOutcome = (...args: Parameters<typeof signIn>) => outcomeOf(() => signIn(...args));
  const registerOutcome = (...args: Parameters<typeof register>) => outcomeOf(() => register(...args));

  /** Returns what a passkey ceremony can store for a user. */
  const storedTraces = async (userId: string) => ({
    credentials: await adapter().credentials!.listForUser(userId),
    sessions: (await adapter().accounts!.listSessions(userId)).length,
  });

  /** Expects the call to fail with `outcome` and to change nothing that is stored. */
  async function expectRefused({ test, user }: PasskeyUser, call: () => unknown, outcome = 'token_invalid') {
    await test.takeEvents();
    const before = await storedTraces(user.id);
    expect(await outcomeOf(call)).toBe(outcome);
    expect(await storedTraces(user.id)).toEqual(before);
    return { events: await test.takeEventNames() };
  }

  async function expectRegistrationRefused(
    holder: PasskeyUser,
    tampering: TamperOptions,
    change?: ResponseChange<RegistrationResponse>,
  ) {
    const result = await expectRefused(holder, () => register(holder, tampering, change));
    expect(result.events).toEqual([]);
    return result;
  }

  async function expectSignInRefused(
    holder: PasskeyUser,
    tampering: TamperOptions,
    change?: ResponseChange<AuthenticationResponse>,
  ) {
    for (const as of [undefined, holder.user.id]) {
      const { events } = await expectRefused(holder, () => signIn(holder, as, tampering, change));
      expect(events).toEqual([]);
    }
  }

  return {
    beginRegistration,
    beginSignIn,
    ...{ expectRefused, expectRegistrationRefused, expectSignInRefused },
    ...{ makePasskeys, makePro, verifiedUser, unverifiedUser, userWithoutAddress },
    ...{ register, signIn, passkeyUser, registeredUser, signInOutcome, registerOutcome, storedTraces },
  };
}
