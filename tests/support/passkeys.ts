/** How the tests of passkeys get a service, users with passkeys, and a look at what is stored of them. */
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

export function passkeys({ make, person, adapter }: OnAdapter) {
  const { makePro, verifiedUser, unverifiedUser } = pro({ make, person });

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
    change: Change<RegistrationResponseJSON> = (answer) => answer,
  ) {
    const { options, challenge } = await test.service.webauthn.startRegistration(user.id);
    const response = change(authenticator.create(options, lie)) as RegistrationResponseJSON;
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
    change: Change<AuthenticationResponseJSON> = (answer) => answer,
    context: RequestContext = { startSession: true },
  ) {
    const { options, challenge } = await test.service.webauthn.startAuthentication(as);
    const response = change(authenticator.get(options, lie)) as AuthenticationResponseJSON;
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

  return {
    ...{ makePasskeys, makePro, verifiedUser, unverifiedUser },
    ...{ register, signIn, holder, registered, signInOutcome, registerOutcome, traces },
  };
}
