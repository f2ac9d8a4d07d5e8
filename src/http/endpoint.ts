/**
 * Endpoints as data: what a request contains, who may call, what a success returns and which errors
 * are possible. The routers, the checks before a handler and the OpenAPI document read the same
 * constants. Methods and paths are in the tables of `router.ts`, `pro-router.ts` and
 * `admin-router.ts`.
 */
import type { Request, Response } from 'express';
import type { ZodObject, ZodType } from 'zod';
import type { Service } from '../engine/service.js';
import type { ServiceUser } from '../domain/user.js';
import type { Html } from '../html/html.js';
import type { ServiceErrorCode } from '../errors/service-error.js';
import type { RequestContext } from '../core/sessions/request-context.js';
import type { LiveSession } from '../core/sessions/session-checks.js';
import { lazily } from '../runtime/load.js';
import type { AdminAction } from './admin-permission.js';
import type { Redirects } from './redirects.js';
import { withRemember } from './remember.js';
import { withBearer } from './response-schemas.js';

/**
 * - `open`: anyone.
 * - `session`: a signed-in user, or an administrator who impersonates one.
 * - `no-impersonation`: a signed-in user, but not an administrator who impersonates one.
 * - `recent`: as `no-impersonation`, and the user must have signed in within the last minutes, not in
 *   a trusted browser without the second factor. For changes that a stolen or forgotten session must
 *   not make.
 */
export type Access = 'open' | 'session' | 'no-impersonation' | 'recent';

/** The service, and the resource that the path names. */
export interface Target {
  service: Service;
  /** Returns a parameter of the path, or an empty string if the path has no such parameter. */
  param: (name: string) => string;
}

export interface Call<Body> extends Target {
  req: Request;
  res: Response;
  body: Body;
  /** The context of a sign-in, with the session that the request carries. */
  context: RequestContext;
}

/**
 * A call by a signed-in user. A handler acts on `me` only, never on a user whom the request names,
 * unless the endpoint has an `action`.
 */
export interface SignedInCall<Body> extends Call<Body> {
  me: ServiceUser;
  session: LiveSession;
  /** The token that authenticated the request. */
  token: string;
}

type CallOf<A extends Access, Body> = A extends 'open' ? Call<Body> : SignedInCall<Body>;

/** The properties that the OpenAPI document is generated from. */
export interface EndpointDescription {
  /** The name of the operation and of the client's method. Default: derived by `operationName`. */
  name?: string;
  /**
   * The action that `authorize` of the admin router must allow. Without it, the route is open to
   * every caller with `access`.
   */
  action?: AdminAction;
  /** One line for the OpenAPI document. */
  summary: string;
  access: Access;
  /** Returns the schema of the query, for the OpenAPI document. */
  query?: () => ZodObject;
  /** Returns the schema of the body. Created at the first request, and once. */
  body?: () => ZodType;
  /** Returns the schema of the JSON body of a success. */
  response?: () => ZodType;
  /**
   * `away`: sends the browser to an identity provider; errors are returned as JSON. `back`: a
   * mailed link or an identity provider sends the browser here; errors redirect to the failure
   * target.
   */
  redirects?: 'away' | 'back';
  /** What a page asks for that the endpoint can respond with instead of redirecting. */
  page?: string;
  /** Error codes that not every endpoint of the same kind can return. */
  errors?: readonly ServiceErrorCode[];
  /** Whether a success sets the session cookie. */
  setsSession?: boolean;
  /** Whether an `open` endpoint acts for the user of the session cookie, if there is one. */
  usesSession?: boolean;
  /**
   * Throws if the provider is not configured or not licensed. Runs before the session is checked
   * and the body is read, so that every caller gets the same error.
   */
  requires?: (target: Target) => unknown;
}

interface JsonDefinition<A extends Access = Access, Body = unknown> extends EndpointDescription {
  access: A;
  body?: () => ZodType<Body>;
  response: () => ZodType;
  redirects?: never;
  /** With `recent` access: returns true if this caller may use a session of any age. */
  exemptFromReauth?: (call: Target & { me: ServiceUser }) => boolean | Promise<boolean>;
  /** Returns the JSON body of the response. */
  handle(call: CallOf<A, Body>): Promise<unknown>;
}

interface RedirectDefinition extends EndpointDescription {
  access: 'open';
  redirects: 'away' | 'back';
  /** Returns the URL to redirect to, or a page whose headers it has set. */
  handle(call: RedirectCall): Promise<string | Html>;
}

export interface RedirectCall extends Omit<Call<undefined>, 'body'> {
  redirects: Redirects;
  /** Parses the body as a form. @throws InvalidRequestError if the body is not a form. */
  readForm: () => Promise<URLSearchParams>;
}

export type JsonEndpoint = JsonDefinition & { kind: 'json' };

/** Responds with a redirect. HEAD requests and prefetches have no effect. */
export type RedirectEndpoint = RedirectDefinition & { kind: 'redirect' };

/** Returns JSON behind `requireSession` alone, without the other steps of a JSON endpoint. */
export interface GuardedEndpoint extends EndpointDescription {
  kind: 'guarded';
  access: 'session';
  response: () => ZodType;
  redirects?: never;
  /** Returns the JSON body of the response. */
  handle(req: Request): unknown;
}

export type Endpoint = JsonEndpoint | RedirectEndpoint | GuardedEndpoint;

/**
 * Creates a JSON endpoint; the call of its handler is typed by `access` and `body`. The body of a sign-in can also contain `remember`,
 * which becomes part of the context. The response of one that sets the session can contain the tokens of a bearer session instead.
 */
export function endpoint<A extends Access, Body = undefined>(
  definition: JsonDefinition<A, Body>,
): JsonEndpoint {
  const { access, body, setsSession } = definition;
  const signsIn = access === 'open' && setsSession === true;
  return {
    kind: 'json',
    ...definition,
    ...(body && { body: lazily(() => (signsIn ? withRemember(body()) : body())) }),
    ...(setsSession && { response: withBearer(definition.response) }),
  };
}

export function redirectEndpoint(definition: RedirectDefinition): RedirectEndpoint {
  return { kind: 'redirect', ...definition };
}

/** The errors of a code that was sent to the user. */
export const codeErrors: readonly ServiceErrorCode[] = [
  'code_invalid',
  'code_expired',
  'code_not_found',
  'max_attempts_exceeded',
];
