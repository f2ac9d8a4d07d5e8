// Programs call methods with anything: an unparsed body, an unset variable. Each call must resolve,
// or reject with a code.
import ts from 'typescript';
import { isServiceError, requireApiKey, requireOrgRole, requireSession, type Service } from 'svc-auth';
import { outbox, smsOutbox } from 'svc-auth/testing';
import { readLibrary, visit } from '../architecture/source-graph.js';
import { codeAt } from '../support/authenticator-app.js';
import { makeService, type TestService } from '../support/make-service.js';
import { proFixtures } from '../support/make-pro-service.js';

interface Method {
  owner: string;
  name: string;
  isAsync: boolean;
  parameters: readonly ts.ParameterDeclaration[];
}

const malformed: readonly unknown[] = [undefined, null, 42, 'x', []];

/**
 * Every public method of the service and of every provider, from the source, including future ones.
 */
const methods: Method[] = readLibrary()
  .filter(({ path }) => path.startsWith('providers/') || path === 'engine/service.ts')
  .flatMap(({ syntax }) => {
    const publicMethods: Method[] = [];
    visit(syntax, (node) => {
      const owner =
        ts.isMethodDeclaration(node) && ts.isClassDeclaration(node.parent) && node.parent.name?.text;
      if (!owner || !/^(Service|.*Provider)$/.test(owner) || !ts.isMethodDeclaration(node) || !node.body)
        return;
      const has = (kind: ts.SyntaxKind) => node.modifiers?.some((each) => each.kind === kind) ?? false;
      const name = node.name.getText();
      if (has(ts.SyntaxKind.PrivateKeyword) || name === 'init' || name === 'close') return;
      publicMethods.push({
        owner,
        name,
        isAsync: has(ts.SyntaxKind.AsyncKeyword),
        parameters: node.parameters,
      });
    });
    return publicMethods;
  });

const named = methods.map((method) => [`${method.owner}.${method.name}`, method] as const);

let people = 0;
const uniqueEmail = () => `caller-${(people += 1)}@example.com`;
const { makePro, verifiedUser } = proFixtures({ make: makeService, uniqueEmail });

async function everything(): Promise<TestService> {
  return makePro({
    usernames: { enabled: true },
    providers: {
      emailPassword: { verifyEmail: 'send' },
      sessions: { canImpersonate: () => true },
      // No server listens at this address.
      google: {
        clientId: 'id',
        clientSecret: 'secret',
        redirectUri: 'https://app.test/api/auth/google/callback',
        issuer: 'http://127.0.0.1:9',
      },
      oauth: {
        acme: {
          clientId: 'id',
          clientSecret: 'secret',
          redirectUri: 'https://app.test/api/auth/oauth/acme/callback',
          issuer: 'http://127.0.0.1:9',
        },
      },
      phoneOtp: { sender: smsOutbox() },
      totp: { sender: outbox(), email: true, trustedBrowsers: true },
      webauthn: {
        rpId: 'app.test',
        origins: ['https://app.test'],
        signUp: { address: 'verified', sender: outbox() },
      },
    },
    encryptionKey: 'an encryption key of the tests, 32 bytes or more',
  });
}

/** The service and its providers by class name. */
function owners(service: Service): Map<string, object> {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(service));
  const providers = names.flatMap((name) => {
    try {
      const member: unknown = Reflect.get(service, name);
      return typeof member === 'object' && member !== null && !Array.isArray(member) ? [member] : [];
    } catch {
      // The accessor of a provider that is not configured.
      return [];
    }
  });
  return new Map(
    [service, service.oauth('acme'), ...providers].map((owner) => [owner.constructor.name, owner]),
  );
}

/** Resolves `resolved` or the code of the error. Any other error fails the test. */
async function outcomeOf(
  service: Service,
  { owner, name, isAsync }: Method,
  args: readonly unknown[],
): Promise<string> {
  const target = owners(service).get(owner) as Record<string, (...args: readonly unknown[]) => unknown>;
  let returned: unknown;
  try {
    returned = target[name]!(...args);
  } catch (error) {
    if (isAsync) throw new Error(`${owner}.${name} throws instead of rejecting`, { cause: error });
    return codeOf(error);
  }
  return Promise.resolve(returned).then(() => 'resolved', codeOf);
}

function codeOf(error: unknown): string {
  if (!isServiceError(error) || error.code === 'internal_error') throw error;
  return error.code;
}

/** Every combination of `count` values. */
function combinations(count: number, values: readonly unknown[]): unknown[][] {
  if (count === 0) return [[]];
  return combinations(count - 1, values).flatMap((head) => values.map((value) => [...head, value]));
}

describe('a method that is called with malformed arguments', () => {
  let test: TestService;

  beforeAll(async () => {
    test = await everything();
  });

  it('exists for every provider', () => {
    expect([...owners(test.service).keys()].sort()).toEqual([
      ...new Set(methods.map(({ owner }) => owner).sort()),
    ]);
    expect(methods.length).toBeGreaterThan(40);
  });

  it.each(named)('%s rejects only with a code', async (_name, method) => {
    for (const args of combinations(method.parameters.length, [...malformed, {}])) {
      expect(await outcomeOf(test.service, method, args)).toMatch(/^[a-z_]+$/);
    }
  });

  it.each(
    named.filter(
      ([
        ,
        {
          parameters: [first],
        },
      ]) => /^(input|owner)$/.test(first?.name.getText() ?? ''),
    ),
  )('%s rejects an input that is not an object', async (_name, method) => {
    const isOptional = method.parameters[0]?.initializer !== undefined;
    for (const input of malformed) {
      const expected = isOptional && (input ?? null) === null ? 'resolved' : 'invalid_request';
      expect(await outcomeOf(test.service, method, [input])).toBe(expected);
    }
  });

  it.each(
    named.filter(([, { parameters }]) =>
      /^(options|context|changes)$/.test(parameters.at(-1)?.name.getText() ?? ''),
    ),
  )('%s rejects options and a context that are not objects', async (_name, method) => {
    const { service } = test;
    const { id: userId } = await verifiedUser(test);
    const { refreshToken } = await service.refresh.issue({ userId });
    const email = uniqueEmail();
    const { org } = await service.orgs.create({ name: 'Acme', ownerUserId: userId });
    const guest = { userId: (await service.sessionsProvider.createGuest()).user.id, email };
    const { id: ownerId } = await verifiedUser(test);
    const { secret } = await service.totp.beginEnrollment(ownerId);
    await service.totp.confirmEnrollment(ownerId, codeAt(secret, test.clock.now()));
    const [app] = await service.totp.listApps(ownerId);
    const passwords = { currentPassword: 'wrong', newPassword: 'correct horse battery' };
    const leading: Record<string, unknown[]> = {
      'Service.createSessionToken': ['user'],
      'Service.purgeExpired': [],
      'Service.reencrypt': [],
      'EmailCodeProvider.sendCode': [{ email }],
      'EmailCodeProvider.verify': [{ email, code: '123456' }],
      'EmailCodeProvider.sendUpgradeCode': [guest],
      'EmailCodeProvider.upgradeGuest': [{ ...guest, code: '123456' }],
      'EmailPasswordProvider.setPassword': [{ token: 'no.token', newPassword: 'correct horse battery' }],
      'EmailPasswordProvider.changePassword': [{ userId, ...passwords }],
      'EmailPasswordProvider.upgradeGuest': [{ ...guest, password: 'correct horse battery' }],
      'EmailPasswordProvider.sendVerification': [userId],
      'EmailPasswordProvider.verifyEmail': [{ userId, code: '123456' }],
      'UsernamesProvider.change': [{ userId, username: 'caller' }],
      'AccountProvider.summary': [userId],
      'AccountProvider.sendVerification': [userId],
      'AccountProvider.setLanguage': [{ userId, language: 'de' }],
      'IdentitiesProvider.list': [userId],
      'IdentitiesProvider.unlink': [userId, 'unknown'],
      'SecondFactorProvider.sendEmailCode': [{ token: 'token' }],
      'SecondFactorProvider.finishWithEmailCode': [{ token: 'token', code: '123456' }],
      'SecondFactorProvider.state': [userId],
      'SecondFactorProvider.enableEmail': [userId],
      'SecondFactorProvider.disableEmail': [userId],
      'SecondFactorProvider.listTrustedBrowsers': [userId],
      'TotpProvider.addApp': [{ userId, code: '123456' }],
      'TotpProvider.listApps': [userId],
      'TotpProvider.removeApp': [{ userId: ownerId, id: app!.id }],
      'TotpProvider.isEnabled': [userId],
      'TotpProvider.state': [userId],
      'WebAuthnProvider.listCredentials': [userId],
      'ApiKeysProvider.list': [{ userId }, undefined, {}],
      'OrgsProvider.listForUser': [userId, {}],
      'RefreshProvider.list': [userId, undefined, {}],
      'SessionsProvider.listDevices': [userId, undefined, {}],
      'SessionsProvider.listAllDevices': [userId, {}],
      'PhoneOtpProvider.sendLinkCode': [{ userId, phone: '+436601234567' }],
      'PhoneOtpProvider.link': [{ userId, phone: '+436601234567', code: '123456' }],
      'PhoneOtpProvider.list': [userId],
      'PhoneOtpProvider.remove': [userId, '00000000-0000-4000-8000-000000000000'],
      'AccountProvider.verifyEmail': [{ userId, code: '123456' }],
      'AccountProvider.requestEmailChange': [{ userId, email }],
      'AccountProvider.confirmEmailChange': [{ userId, email, code: '123456', currentCode: '123456' }],
      'AccountProvider.deleteUser': [userId],
      'EmailPasswordProvider.signup': [{ email, password: 'correct horse battery' }],
      'EmailPasswordProvider.startSignUp': [{ email: uniqueEmail(), password: 'correct horse battery' }],
      'EmailPasswordProvider.finishSignUp': [{ token: 'no.token', code: '123456' }],
      'EmailPasswordProvider.login': [{ email, password: 'correct horse battery' }],
      'EmailPasswordProvider.requestReset': [{ email }],
      'MagicLinkProvider.sendLink': [{ email }],
      'MagicLinkProvider.verify': [(await service.magicLink.sendLink({ email })).url.split('token=')[1]],
      'MagicLinkProvider.openLink': [
        { token: (await service.magicLink.sendLink({ email })).url.split('token=')[1] },
      ],
      'MagicLinkProvider.verifyCode': [{ email, code: '123456' }],
      'GoogleProvider.getAuthUrl': [],
      'GoogleProvider.handleCallback': ['code'],
      'GoogleProvider.finishRedirect': [new URLSearchParams(), 'transaction'],
      'OAuthProvider.getAuthUrl': [],
      'OAuthProvider.handleCallback': [{ code: 'code' }],
      'OAuthProvider.finishRedirect': [new URLSearchParams(), 'transaction'],
      'PhoneOtpProvider.sendCode': [{ phone: '+4915112345678' }],
      'PhoneOtpProvider.verify': [{ phone: '+4915112345678', code: '123456' }],
      'TotpProvider.confirmEnrollment': [userId, '123456'],
      'TotpProvider.regenerateRecoveryCodes': [userId],
      'TotpProvider.disable': [userId],
      'TotpProvider.finishSignIn': [{ token: 'token', code: '123456' }],
      'WebAuthnProvider.startAuthentication': [undefined],
      'WebAuthnProvider.finishAuthentication': [{ response: {}, expectedChallenge: 'challenge' }],
      'WebAuthnProvider.startAutofill': [],
      'WebAuthnProvider.startSecondFactor': [{ token: 'token' }],
      'WebAuthnProvider.finishSecondFactor': [
        { token: 'token', response: {}, expectedChallenge: 'challenge' },
      ],
      'WebAuthnProvider.sendSignUpCode': [{ email }],
      'WebAuthnProvider.startSignUp': [{ email, code: '123456' }],
      'WebAuthnProvider.finishSignUp': [{ response: {}, expectedChallenge: 'challenge' }],
      'OrgsProvider.previewInvite': ['no.token'],
      'OrgsProvider.invite': [{ orgId: org.id, email }],
      'RefreshProvider.refresh': [refreshToken],
      'GoogleProvider.startRedirect': [undefined],
      'OAuthProvider.startRedirect': [undefined],
      'SessionsProvider.createGuest': [{}],
      'SessionsProvider.impersonate': [userId, (await verifiedUser(test)).id],
    };
    const before = leading[`${method.owner}.${method.name}`];
    expect(before).toBeDefined();
    for (const last of [42, 'x', []]) {
      expect(await outcomeOf(service, method, [...before!, last])).toBe('invalid_request');
    }
    // null counts as not given. The call may fail for another reason, such as an unknown code.
    expect(await outcomeOf(service, method, [...before!, null])).not.toBe('invalid_request');
  });
});

it('rejects an input without an id or a token as one with an unknown id or token', async () => {
  const { service } = await everything();
  const { orgs, totp, webauthn } = service;
  const calls: Record<string, () => Promise<unknown>> = {
    user_not_found: () => orgs.create({ name: 'Acme' } as Parameters<typeof orgs.create>[0]),
    org_error: () => orgs.invite({ email: uniqueEmail() } as Parameters<typeof orgs.invite>[0]),
    token_invalid: () => totp.finishSignIn({ code: '123456' } as Parameters<typeof totp.finishSignIn>[0]),
  };
  for (const [code, call] of Object.entries(calls)) await expect(call()).rejects.toMatchObject({ code });
  const response = {} as Parameters<typeof webauthn.finishAuthentication>[0];
  await expect(webauthn.finishAuthentication(response)).rejects.toMatchObject({ code: 'token_invalid' });
});

describe('a guard', () => {
  it('throws without its required options when it is created', async () => {
    const { service } = await everything();
    for (const options of malformed) {
      const make = () => requireOrgRole(service, options as Parameters<typeof requireOrgRole>[1]);
      expect(make).toThrow(/requireOrgRole/);
      expect(make).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    }
  });

  it('accepts null as no options, and rejects a string', async () => {
    const { service } = await everything();
    for (const guard of [requireApiKey, requireSession]) {
      const make = (options: unknown) => guard(service, options as object);
      expect(make(null)).toBeInstanceOf(Function);
      expect(() => make('x')).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    }
  });
});

it('rejects a malformed limit of purgeExpired with invalid_request', async () => {
  const { service } = await everything();
  for (const limit of [-1, 1.5, Number.NaN, '1']) {
    await expect(service.purgeExpired({ limit: limit as number })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  }
});
