/** What the router and the guards use of a service. A registered symbol leads to it, so that copies of the package agree. */
import type { LookupAddress } from 'node:dns';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Keyring } from '../crypto/keys.js';
import type { Html } from '../html/html.js';
import type { ConnectedApp } from '../domain/connected-app.js';
import type { RegisteredClient } from '../domain/registered-client.js';
import type { TokenPair } from '../domain/refresh-family.js';
import type { SecondStepMethods } from '../domain/second-factor.js';
import type { StoredUser } from '../domain/user.js';
import type { ServiceError } from '../errors/service-error.js';
import type { Brand } from './support/brand.js';
import type { ActingRequests } from './support/acting-requests.js';
import type { Changes } from './support/changes.js';
import type { Clock } from './support/clock.js';
import type { EventBus } from './support/events.js';
import type { UserChangeBy } from './sessions/change-by.js';
import type { FormTokens } from './sessions/form-tokens.js';
import type { KnownDevices } from './limits/known-devices.js';
import type { Languages } from './mail/languages.js';
import type { Limiter } from './limits/limiter.js';
import type { LinkTargets } from './support/link-targets.js';
import type { NotMeLinks, NotMePage } from './mail/not-me-links.js';
import type { ResetLink } from './mail/reset-links.js';
import type { FindPlace } from './support/locations.js';
import type { Logger } from './support/logger.js';
import type { Profiles } from './support/profiles.js';
import type { RequestContext } from './sessions/request-context.js';
import type { PendingSignIn } from './sessions/second-factor.js';
import type { OldSessions } from './sessions/old-sessions.js';
import type { SignInResult } from './sessions/sign-in-result.js';
import type { LiveSession } from './sessions/session-checks.js';
import type { DpopKeys, KeyProof } from './sessions/dpop-keys.js';
import type { BoundSessions } from './sessions/bound-sessions.js';
import type { Sessions } from './sessions/sessions.js';
import type { StorageAdapter } from '../storage/adapter.js';
import type { WatchedSessions } from './sessions/watched-sessions.js';
import type { UserRepository } from '../storage/repositories.js';
import type { SignUpFields } from './sign-ups/sign-up-fields.js';

export const internals = Symbol.for('svc-auth.internals');

/** The property of routers and guards that leads to their service. */
export const internalsOf = Symbol.for('svc-auth.internalsOf');

/**
 * Lets `loginAs` of `svc-auth/testing` find the service of an application. The property is a function, because `util.inspect` shows
 * the properties of a handler, and must not show the secrets of a service. Returns the same handler.
 */
export function withInternals<Handler extends object>(handler: Handler, tools: ServiceInternals): Handler {
  return Object.defineProperty(handler, internalsOf, { value: () => tools });
}

export interface CookieOptions {
  name: string;
  secure: boolean | 'auto';
  sameSite: 'lax' | 'strict' | 'none';
  path: string;
  domain?: string;
}

/** Returns whether browsers accept a cookie of this name only from its host, so that no sibling subdomain can set it (RFC 6265bis, 4.1.3.2). */
export function isOfHost(cookieName: string): boolean {
  return /^__host-/i.test(cookieName);
}

/** Completes a sign-in that requires a second factor. */
export interface SecondStep {
  finishSignIn(
    input: { token: string; code?: string; recoveryCode?: string },
    context: RequestContext,
  ): Promise<SignInResult & { recoveryCodesLeft?: number }>;
}

/** Shows a pending sign-in, and completes it with a code by email. */
export interface OtherSecondSteps {
  pendingMethods(token: string): Promise<SecondStepMethods & { expiresAt: Date }>;
  sendEmailCode(input: { token: string }, context: RequestContext): Promise<{ expiresAt: Date }>;
  finishWithEmailCode(input: { token: string; code: string }, context: RequestContext): Promise<SignInResult>;
}

/** A sign-in that waits for its second step, with the address of its account. */
export interface PendingSecondStep extends SecondStepMethods {
  email: string | null;
}

/** Exchanges a refresh token. */
interface TokenRefresh {
  refresh(refreshToken: string): Promise<TokenPair>;
}

/** Continues bearer sessions. */
interface BearerTokens {
  rotate(refreshToken: string, changes: object, proof: KeyProof | undefined): Promise<TokenPair>;
}

interface StartedCeremony {
  options: unknown;
  challenge: string;
}

/** Signs in with a passkey, as the first or the second step. */
export interface PasskeySignIn {
  readonly relyingParty: { rpId: string; origins: readonly string[]; relatedOrigins: readonly string[] };
  /** Names the passkeys of a user who was deleted, for the browser that has them. */
  passkeysOf(userId: string): { rpId: string; userId: string };
  startAuthentication(userId: undefined, context: RequestContext): Promise<StartedCeremony>;
  startAutofill(context: RequestContext): Promise<StartedCeremony>;
  startSecondFactor(input: { token: string }, context: RequestContext): Promise<StartedCeremony>;
  finishSecondFactor(
    input: { token: string; response: never; expectedChallenge: string },
    context: RequestContext,
  ): Promise<SignInResult>;
  finishAuthentication(
    // Unchecked input of the browser, which the provider checks.
    input: { response: never; expectedChallenge: string },
    context: RequestContext,
  ): Promise<SignInResult>;
}

/**
 * Sign-ins with methods that accounts already have. They work without a valid license too: an expired license must not lock users out.
 * Each function throws ProviderNotConfiguredError.
 */
export interface ExistingSignIns {
  readonly refresh: () => TokenRefresh;
  readonly secondFactor: () => OtherSecondSteps;
  readonly totp: () => SecondStep;
  readonly webauthn: () => PasskeySignIn;
}

/** Where redirects of the routes lead by default. `createPages` sets them. */
export interface PageTargets {
  success?: (origin: SignInOrigin) => string;
  failure?: (error: ServiceError, origin: SignInOrigin) => string;
  /** The pages that the well-known addresses lead to. Asked at each request, because a license can expire. */
  wellKnown?: () => WellKnownTargets;
  /** Path of the page on which users decide about an authorization request. */
  consent?: string;
  /** Path of the page on which users enter the code of a device. */
  device?: string;
  /** Sets the headers and returns the page for an authorization request that cannot be answered to its client. It takes requests of Express. */
  refusedRequest?(req: IncomingMessage, res: ServerResponse, refusal: RefusedRequest): Promise<Html>;
  /** Sets the headers and returns the page that asks for a confirmation before a mailed link signs in. It takes requests of Express. */
  linkConfirmation?(req: IncomingMessage, res: ServerResponse, page: LinkPage): Promise<Html>;
  /** As `linkConfirmation`, for the pages of the link of a notice. */
  notMe?(req: IncomingMessage, res: ServerResponse, shown: ShownNotMe): Promise<Html>;
}

/** Paths or URLs of the pages that exist. */
export interface WellKnownTargets {
  changePassword?: string;
  addPasskey?: string;
  passkeys?: string;
}

/** An authorization request that is not answered to its client. */
export interface RefusedRequest {
  status: number;
  /** As RFC 6749, 4.1.2.1, calls it. */
  code: string;
  /** For the developer of the client, in English. */
  detail?: string | undefined;
  /** Where the answer would lead, if the user must not be sent there without having been asked. */
  host?: string;
  retryAfterMs?: number;
}

export interface LinkPage {
  /** Masked. */
  email: string;
  /** Shows that the form of the page belongs to this browser and this link. */
  proof: string;
  /** The origins to which the form may be redirected. */
  formTargets: readonly string[];
  /** The choice in the menu of the page, unchecked. */
  language: string | null;
}

/** What a page of the link of a notice shows. */
export interface ShownNotMe {
  page: NotMePage;
  /** As in `LinkPage`, for a page that asks for a confirmation. */
  proof: string;
  /** The choice in the menu of the page, unchecked. */
  language: string | null;
}

/** Where a sign-in began that ends with a redirect. A failed one has only `provider`, except with `mfa_required`. */
export interface SignInOrigin {
  /** The `state` with which a sign-in at an identity provider started. */
  appState?: string | undefined;
  /** The name of the mailed link. */
  link?: string;
  /** As in the result of the sign-in. */
  reclaimed?: true | undefined;
  /** The identity provider that has refused, or at which the user has canceled. */
  provider?: string;
}

/** An authorization request that waits for the user of the browser. */
export interface AuthorizationRequest {
  id: string;
  /** `host` is that of the address which is its id. Null for a client that is registered. */
  client: { id: string; name: string; uri: string | null; host: string | null };
  /** The host to which the browser returns. */
  host: string;
  /** Whether that is this computer: any program on it can have asked. */
  isLocal: boolean;
  /** What the client asks for. The resource is empty for scopes of no resource, such as `openid`. */
  scopes: readonly { resource: string; name: string; description: string }[];
  /** Whether the client wants the user to be asked, also about what was given before. */
  mustAsk: boolean;
  /** The user must sign in again, at this time or later, in milliseconds since the epoch. Null if a session suffices. */
  signInSince: number | null;
  /** Where the browser continues, after the decision. Null before it. */
  continuesAt: string | null;
}

/** Decides about authorization requests: the OAuth server's side of its page. */
export interface ConsentDesk {
  /** Returns the request of the browser. Null if it has ended, or if the browser has begun another one. */
  open(req: IncomingMessage, res: ServerResponse, id: string): Promise<AuthorizationRequest | null>;
  /**
   * Allows a request without a question if the user has given the client all that it asks for before. False if the user must be asked.
   * @throws TokenInvalidError if the request has ended.
   */
  allowRemembered(
    req: IncomingMessage,
    res: ServerResponse,
    request: AuthorizationRequest,
    session: LiveSession,
  ): Promise<boolean>;
  /** @throws TokenInvalidError if the session has ended in the meantime, or the request. */
  allow(req: IncomingMessage, res: ServerResponse, id: string, session: LiveSession): Promise<void>;
  /** @throws TokenInvalidError if the request has ended. */
  deny(req: IncomingMessage, res: ServerResponse, id: string): Promise<void>;
}

/** The clients to which users have given access: the OAuth server's side of the list and its page. */
export interface ConnectedApps {
  /** One entry for each client, the one that got access last first. */
  list(userId: string): Promise<ConnectedApp[]>;
  /**
   * Ends what a user has given a client: its tokens are refused from now on. False if the client has no access.
   * @throws NotAuthorizedError for an administrator who impersonates the user.
   */
  remove(userId: string, clientId: string, context?: RequestContext): Promise<boolean>;
}

/** The clients of the OAuth server, for those who administer them. Its own interface says what each method does. */
export interface ClientAdministration {
  create(
    client: { name: string; redirectUris: readonly string[]; uri?: string; confidential?: boolean },
    by?: UserChangeBy,
  ): Promise<{ client: RegisteredClient; secret: string | null }>;
  get(id: string): Promise<RegisteredClient | null>;
  list(): Promise<RegisteredClient[]>;
  update(
    id: string,
    changes: { name?: string; redirectUris?: readonly string[]; uri?: string | null },
    by?: UserChangeBy,
  ): Promise<RegisteredClient | null>;
  remove(id: string, by?: UserChangeBy): Promise<boolean>;
  addSecret(id: string, by?: UserChangeBy): Promise<{ client: RegisteredClient; secret: string } | null>;
  removeSecret(id: string, secretId: string, by?: UserChangeBy): Promise<boolean>;
}

/** A device that waits for its user (RFC 8628). */
export interface DeviceRequest {
  /** As the device shows it. */
  code: string;
  client: AuthorizationRequest['client'];
  scopes: AuthorizationRequest['scopes'];
}

/** The OAuth server's side of the page of devices. A code belongs to the account that has entered it first. */
export interface DeviceDesk {
  /** Binds a code to an account. False for a code that is wrong, has expired, was decided, or is another account's. @throws RateLimitError */
  enter(code: string, userId: string, ip: string | undefined): Promise<boolean>;
  /** Null unless the account has entered the code, and can still decide. */
  open(code: string, userId: string): Promise<DeviceRequest | null>;
  /** Gives the device access. False if it cannot be decided any more. */
  allow(code: string, session: LiveSession): Promise<boolean>;
  /** As `allow`. */
  deny(code: string, userId: string): Promise<boolean>;
  /** Lets another account enter the code. */
  release(code: string, userId: string): Promise<void>;
}

/** How documents of strangers are fetched. */
export interface DocumentNetwork {
  resolve: (hostname: string) => Promise<LookupAddress[]>;
  /** Whether a connection to an address may be made. */
  isAllowed: (address: string) => boolean;
  /** The certificate of an authority. Default: those of Node.js. */
  ca?: string;
}

export type RouterName = 'createAuthRouter' | 'createProRouter';

export interface ServiceInternals {
  /** The tokens of bearer sessions. Null without `session.bearer`. */
  readonly bearer: BearerTokens | null;
  /** The keys of bearer sessions. Null without `session.bearer`. */
  readonly dpopKeys: DpopKeys | null;
  /** Null without `session.bound`. */
  readonly boundSessions: BoundSessions | null;
  readonly watchedSessions: Pick<WatchedSessions, 'watch'>;
  /** How pages and mails show the product. */
  readonly brand: Brand;
  /** For `clear` of `svc-auth/testing`. Waits for background work, then removes every row of the storage. */
  readonly clear: () => Promise<void>;
  /** The request in which a change happens, for the audit log. */
  readonly actingRequests: ActingRequests;
  readonly changes: Changes;
  readonly clock: Clock;
  readonly cookie: CookieOptions;
  /** Of the OAuth server, if there is one. */
  readonly consents: {
    apps?: ConnectedApps;
    clients?: ClientAdministration;
    desk?: ConsentDesk;
    devices?: DeviceDesk;
    /** Set by our own tests alone, which have neither public addresses nor a name with a certificate. */
    network?: Partial<DocumentNetwork>;
  };
  /** The routers of this service so far. Pages offer nothing whose routes are missing. */
  readonly createdRouters: Set<RouterName>;
  readonly events: EventBus;
  /** For the forms of server-rendered pages. */
  readonly formTokens: FormTokens;
  readonly knownDevices: KnownDevices;
  readonly keys: Keyring;
  readonly languages: Languages;
  /** For limits of the routes, in addition to those of the providers: their callers are not trusted. */
  readonly limiter: Limiter;
  /** Origins that may post to the routes, in addition to the request's own. */
  readonly linkTargets: LinkTargets;
  /** The place of an address, with the option `locate`. */
  readonly locate: FindPlace;
  readonly logger: Logger;
  /** Sessions of a former system (`session.acceptSessionsFrom`). */
  readonly oldSessions: OldSessions;
  /** The links of notices. */
  readonly notMeLinks: NotMeLinks;
  readonly pageTargets: PageTargets;
  /** Returns a sign-in that waits for its second step, for a user who has completed the first. */
  readonly requireSecondFactor: (user: StoredUser, method: string) => Promise<PendingSignIn>;
  /** Starts a session for a user whom the application has signed in. @param asksSecondFactor for a sign-in with one factor. @throws UserNotFoundError; UserBlockedError */
  readonly signInForApplication: (
    userId: string,
    context: RequestContext,
    asksSecondFactor: boolean,
  ) => Promise<SignInResult>;
  /** Returns whose sign-in waits for its second step, and how it can be completed. @throws TokenInvalidError */
  readonly pendingSecondStep: (token: string) => Promise<PendingSecondStep>;
  /** What the pages show of users and organizations. */
  readonly profiles: Profiles;
  /** The schema of the application's fields of a sign-up, for the forms of the pages. */
  readonly signUpFields: SignUpFields | undefined;
  /** Returns whether a reset link can be used, and its address for password managers. The link stays as it is. */
  readonly readResetLink: (token: string) => Promise<ResetLink>;
  /** Whether the option `orgs.create` lets a user with these roles create organizations. */
  readonly mayCreateOrgs: (roles: readonly string[]) => boolean;
  /** What has been logged once: by the name of the warning. */
  readonly reported: Set<string>;
  /**
   * How long after its creation an account may be used with an unverified address, in milliseconds. Null if unverified addresses are
   * not refused.
   */
  readonly unverifiedGraceMs: number | null;
  readonly sessions: Sessions;
  readonly storage: StorageAdapter;
  /** For `loginAs` of `svc-auth/testing`. */
  readonly users: UserRepository;
  /** Whether `totp.trustedBrowsers` is configured. */
  readonly trustsBrowsers: boolean;
  /** For how many days a browser is trusted. Null without `totp.trustedBrowsers`. */
  readonly trustDays: number | null;
  readonly existing: ExistingSignIns;
}
