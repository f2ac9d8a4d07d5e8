/** Every public method of the service and of its providers, from the source, and how tests call them with anything. */
import ts from 'typescript';
import { isServiceError, type Service, type ServiceError } from 'svc-auth';
import { outbox, smsOutbox } from 'svc-auth/testing';
import { readLibrary, visit } from '../architecture/source-graph.js';
import { makeService, type TestService } from '../support/make-service.js';
import { proFixtures } from '../support/make-pro-service.js';

export interface Method {
  owner: string;
  name: string;
  isAsync: boolean;
  parameters: readonly ts.ParameterDeclaration[];
}

/**
 * Every public method of the service and of every provider, from the source, including future ones.
 */
export const methods: readonly Method[] = readLibrary()
  .filter(
    ({ path }) =>
      path.startsWith('providers/') ||
      ['engine/service.ts', 'core/support/statistics-report.ts'].includes(path),
  )
  .flatMap(({ syntax }) => {
    const publicMethods: Method[] = [];
    visit(syntax, (node) => {
      const owner =
        ts.isMethodDeclaration(node) && ts.isClassDeclaration(node.parent) && node.parent.name?.text;
      if (
        !owner ||
        !/^(Service|StatisticsReports|.*Provider)$/.test(owner) ||
        !ts.isMethodDeclaration(node) ||
        !node.body
      )
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

export const named = methods.map((method) => [`${method.owner}.${method.name}`, method] as const);

let people = 0;
export const uniqueEmail = () => `caller-${(people += 1)}@example.com`;
const { makePro, verifiedUser } = proFixtures({ make: makeService, uniqueEmail });

/** A service with every provider. */
export async function everything(): Promise<TestService> {
  return makePro({
    audit: true,
    statistics: true,
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

export { verifiedUser };

/** The service and its providers by class name. */
export function owners(service: Service): Map<string, object> {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(service));
  const providers = names.flatMap((name) => {
    try {
      const member: unknown = Reflect.get(service, name);
      // Not plain data, such as `features`.
      const isProvider =
        typeof member === 'object' &&
        member !== null &&
        ![Array, Object].includes(member.constructor as never);
      return isProvider ? [member] : [];
    } catch {
      // The accessor of a provider that is not configured.
      return [];
    }
  });
  return new Map(
    [service, service.oauth('acme'), ...providers].map((owner) => [owner.constructor.name, owner]),
  );
}

/** Resolves the error of a call, or undefined. An error without a code fails the test. */
export async function failureOf(
  service: Service,
  { owner, name, isAsync }: Method,
  args: readonly unknown[],
): Promise<ServiceError | undefined> {
  const target = owners(service).get(owner) as Record<string, (...args: readonly unknown[]) => unknown>;
  let returned: unknown;
  try {
    returned = target[name]!(...args);
  } catch (error) {
    if (isAsync) throw new Error(`${owner}.${name} throws instead of rejecting`, { cause: error });
    return withCode(error);
  }
  return Promise.resolve(returned).then(() => undefined, withCode);
}

/** Resolves `resolved` or the code of the error. */
export async function outcomeOf(service: Service, method: Method, args: readonly unknown[]): Promise<string> {
  return (await failureOf(service, method, args))?.code ?? 'resolved';
}

function withCode(error: unknown): ServiceError {
  if (!isServiceError(error) || error.code === 'internal_error') throw error;
  return error;
}
