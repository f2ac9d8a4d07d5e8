/** Signs users in without their sign-in method, for tests of an application's own routes. */
import { uuidV7 } from '../src/crypto/random.js';
import { internals, type ServiceInternals } from '../src/core/internals.js';
import { parseEmailAddress } from '../src/domain/email-address.js';
import { parseMetadata } from '../src/domain/metadata.js';
import { toServiceUser, type ServiceUser, type StoredUser } from '../src/domain/user.js';
import { parseUserRoles } from '../src/domain/user-roles.js';
import type { Service } from '../src/engine/service.js';
import { findService } from './login-as/find-service.js';
import { browserCookie, type BrowserCookie } from './login-as/browser-cookie.js';

/** A user of the service, or the address of a user, who is created if there is none. */
export type TestUser = { readonly id: string } | NewTestUser | string;

/** The user to create if no user has the address. The address of a new user is verified unless this says otherwise. */
export interface NewTestUser {
  readonly email: string;
  readonly emailVerified?: boolean;
  readonly roles?: readonly string[];
  readonly metadata?: Record<string, unknown>;
}

export interface LoginAsOptions {
  /** Required only if the application has several services, or has them in an application that it mounts. */
  service?: Service;
  /** Whether the sign-in included a second factor. Default: whether the user has one. */
  twoFactors?: boolean;
  /** When the user signed in. Default: now. */
  signedInAt?: Date;
}

export interface TestSession {
  user: ServiceUser;
  /** For `Authorization: Bearer`. */
  token: string;
  /** The `Cookie` header. */
  cookie: string;
  /**
   * Returns the cookies for a browser: `context.addCookies(session.cookies(origin))` of Playwright, or
   * `browser.setCookie(...session.cookies(origin))` of Puppeteer.
   * @param origin of the application, such as `http://localhost:3000`.
   */
  cookies: (origin: string) => BrowserCookie[];
  /** Returns an agent of supertest with the session: `session.agent(request)`. */
  agent: <Agent extends object>(supertest: { agent(app: never): Agent }) => Agent;
}

/** An Express application, or the service itself. */
type Application = Service | ((...args: never[]) => unknown);

/**
 * Signs a user in, with any configuration and without sending a mail. The session is a real one: guards query it, and it can be
 * revoked.
 * @param app an Express application with a router or a guard of the service, or the service. Call `init()` of the service first.
 * @throws Error in production, if the application has no service or several, and if no user has the id; UserBlockedError.
 */
export async function loginAs(
  app: Application,
  user: TestUser,
  { service, twoFactors, signedInAt }: LoginAsOptions = {},
): Promise<TestSession> {
  // It authenticates without any proof, so an application must not be able to expose it by mistake.
  if (process.env['NODE_ENV'] === 'production')
    throw new Error('loginAs signs in without authentication and does not run in production.');
  const tools = service?.[internals] ?? findService(app);
  const stored = await userOf(tools, user);
  const { token } = await tools.sessions.issueSession(
    stored,
    { userAgent: 'loginAs' },
    { twoFactors: twoFactors ?? stored.totpEnabled, signedInAt },
  );
  const { cookie: options } = tools;
  const cookie = `${options.name}=${token}`;
  return {
    user: toServiceUser(stored),
    token,
    cookie,
    cookies: (origin) => [browserCookie(options, token, origin)],
    agent(supertest) {
      const agent = supertest.agent(app as never);
      const { jar } = agent as { jar?: { setCookie(cookie: string, domain: string, path: string): unknown } };
      if (!jar) throw new TypeError('The argument of agent() must be supertest.');
      // Without `Secure`: supertest sends requests over http. Its applications listen on this address.
      jar.setCookie(`${cookie}; Path=${options.path}`, '127.0.0.1', '/');
      return agent;
    },
  };
}

async function userOf(tools: ServiceInternals, user: TestUser): Promise<StoredUser> {
  const { clock, users } = tools;
  if (typeof user === 'object' && 'id' in user) return existing(await users.findById(user.id), user.id);
  const described = typeof user === 'string' ? { email: user } : user;
  const email = parseEmailAddress(described.email);
  const now = clock();
  const { emailVerified = true, metadata, roles = [] } = described;
  // False if the user exists, also if a parallel test creates it.
  await users.insert({
    id: uuidV7(now),
    email,
    emailVerified,
    passwordHash: null,
    metadata: parseMetadata(metadata),
    roles: parseUserRoles(roles),
    createdAt: new Date(now),
  });
  return existing(await users.findByEmail(email), email);
}

function existing(user: StoredUser | null, name: string): StoredUser {
  if (!user) throw new Error(`loginAs found no user: ${name}`);
  return user;
}
