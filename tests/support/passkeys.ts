/** How the tests of passkeys get a service, users with passkeys, and a look at what is stored of them. */
import { createHash } from 'node:crypto';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { RequestContext, ServiceUser } from 'svc-auth';
import { softwareAuthenticator, type AuthenticatorLie, type SoftwareAuthenticator } from 'svc-auth/testing';
import type { OnAdapter } from './describe-adapters.js';
import { pro, type ProService } from './make-pro-service.js';
import type { Overrides } from './make-service.js';
import { outcomeOf } from './outcomes.js';

export const rpId = 'acme.test';
export const origins = ['https://acme.test', 'https://login.acme.test:8443'];

type WebAuthnOverrides = NonNullable<Overrides['providers']>['webauthn'] & object;

export interface Holder {
  test: ProService;
  user: ServiceUser;
  authenticator: SoftwareAuthenticator;
}

/** A change of an answer on its way from the browser. */
export type Change<Answer> = (answer: Answer) => unknown;

export type Registration = RegistrationResponseJSON;
export type Authentication = AuthenticationResponseJSON;

export const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');

/** An answer in whose response these are other. */
export const response = (changes: object) => (answer: Registration | Authentication) => ({
  ...answer,
  response: { ...answer.response, ...changes },
});

/** An answer whose client data say this, too. */
export const clientData =
  <Answer extends Registration | Authentication>(changes: object): Change<Answer> =>
  (answer) => {
    const said = JSON.parse(Buffer.from(answer.response.clientDataJSON, 'base64url').toString()) as object;
    const clientDataJSON = base64url(JSON.stringify({ ...said, ...changes }));
    return { ...answer, response: { ...answer.response, clientDataJSON } };
  };

/** The part of what is signed that stands for the client data. */
export const clientDataHash = (clientDataJSON: string) =>
  createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();

/** Told by an authenticator, or by a browser, in either ceremony. */
export const lies: [string, AuthenticatorLie][] = [
  ['the origin of another site', { origin: 'https://evil.test' }],
  ['the origin of another port', { origin: 'https://acme.test:444' }],
  ['the origin of a subdomain', { origin: 'https://sub.acme.test' }],
  ['the origin of another scheme', { origin: 'http://acme.test' }],
  ['an origin in other letters', { origin: 'https://ACME.test' }],
  ['an origin with a slash', { origin: 'https://acme.test/' }],
  ['an origin that begins like ours', { origin: 'https://acme.test.evil.test' }],
  ['no origin', { origin: '' }],
  ['the origin null', { origin: 'null' }],
  ['another challenge', { challenge: base64url('another challenge of 32 bytes..!') }],
  ['no challenge', { challenge: '' }],
  ['another type', { type: 'payment.get' }],
  ['another domain', { rpId: 'evil.test' }],
  ['a subdomain for the domain', { rpId: 'login.acme.test' }],
  ['no user presence', { userPresent: false }],
  ['a backup of a key that cannot have one', { backedUp: true }],
  ['a frame of another site', { crossOrigin: true }],
];

export function passkeys({ make, person, adapter }: OnAdapter) {
  const { makePro, verifiedUser, unverifiedUser, userWithoutAddress } = pro({ make, person });

  const makePasskeys = (webauthn: WebAuthnOverrides = {}, overrides: Overrides = {}) =>
    makePro({
      encryptionKey: 'the key of these tests, 32 bytes or more',
      ...overrides,
      providers: { totp: true, ...overrides.providers, webauthn: { rpId, origins, ...webauthn } },
    });

  /** The whole of a registration. */
  async function register(
    { test, user, authenticator }: Holder,
    lie: AuthenticatorLie = {},
    change: Change<Registration> = (answer) => answer,
  ) {
    const { options, challenge } = await test.service.webauthn.startRegistration(user.id);
    const response = change(authenticator.create(options, lie)) as Registration;
    const { credential } = await test.service.webauthn.finishRegistration({
      userId: user.id,
      response,
      expectedChallenge: challenge,
    });
    return credential;
  }

  /** The whole of a sign-in, for `as` where it is given and for whoever answers otherwise. */
  async function signIn(
    { test, authenticator }: Pick<Holder, 'test' | 'authenticator'>,
    as?: string,
    lie: AuthenticatorLie = {},
    change: Change<Authentication> = (answer) => answer,
    context: RequestContext = { startSession: true },
  ) {
    const { options, challenge } = await test.service.webauthn.startAuthentication(as);
    const response = change(authenticator.get(options, lie)) as Authentication;
    return test.service.webauthn.finishAuthentication(
      { ...(as !== undefined && { userId: as }), response, expectedChallenge: challenge },
      context,
    );
  }

  async function holder(
    options: Parameters<typeof softwareAuthenticator>[0] = {},
    test?: ProService,
  ): Promise<Holder> {
    const made = test ?? (await makePasskeys());
    return { test: made, user: await verifiedUser(made), authenticator: softwareAuthenticator(options) };
  }

  /** A user with one passkey, and no events to be heard. */
  async function registered(options: Parameters<typeof softwareAuthenticator>[0] = {}, test?: ProService) {
    const held = await holder(options, test);
    const credential = await register(held);
    await held.test.heard();
    return { ...held, credential };
  }

  const signInOutcome = (...args: Parameters<typeof signIn>) => outcomeOf(() => signIn(...args));
  const registerOutcome = (...args: Parameters<typeof register>) => outcomeOf(() => register(...args));

  /** Everything that a passkey could leave behind with a user. */
  const traces = async (userId: string) => ({
    credentials: await adapter().credentials!.listForUser(userId),
    sessions: (await adapter().accounts!.listSessions(userId)).length,
  });

  /** The lie must end in `token_invalid`, fast, and leave everything as it was. */
  async function refused({ test, user }: Holder, call: () => unknown, outcome = 'token_invalid') {
    await test.heard();
    const before = await traces(user.id);
    expect(await outcomeOf(call)).toBe(outcome);
    expect(await traces(user.id)).toEqual(before);
    return { events: await test.heardNames() };
  }

  async function refusedRegistration(held: Holder, lie: AuthenticatorLie, change?: Change<Registration>) {
    const result = await refused(held, () => register(held, lie, change));
    expect(result.events).toEqual([]);
    return result;
  }

  async function refusedSignIn(held: Holder, lie: AuthenticatorLie, change?: Change<Authentication>) {
    for (const as of [undefined, held.user.id]) {
      const { events } = await refused(held, () => signIn(held, as, lie, change));
      expect(events).toEqual([]);
    }
  }

  return {
    ...{ refused, refusedRegistration, refusedSignIn },
    ...{ makePasskeys, makePro, verifiedUser, unverifiedUser, userWithoutAddress },
    ...{ register, signIn, holder, registered, signInOutcome, registerOutcome, traces },
  };
}
