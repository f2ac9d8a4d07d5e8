/**
 * JSON endpoints as data: what one takes, who may call it, what it answers. Routing, the checks before a handler and the OpenAPI
 * document are made of the same lines.
 */
import type { Request, RequestHandler, Response, Router } from 'express';
import type { ZodObject, ZodType } from 'zod';
import type { Service } from '../engine/service.js';
import { toServiceUser, type ServiceUser } from '../domain/user.js';
import type { ServiceErrorCode } from '../errors/service-error.js';
import { internals } from '../kit/internals.js';
import { routeSession, type RequestContext } from '../kit/sign-in.js';
import type { LiveSession } from '../kit/sessions.js';
import type { BodyReader } from './request-body.js';
import { authenticate } from './authenticate.js';
import { requireFresh, requireInPerson } from './session-requirements.js';
import { get, post, sendJson, signInContext } from './route.js';

/**
 * `open`: anybody. `session`: whoever is signed in, and an administrator who acts for them. `own`: whoever is signed in, in person.
 * `fresh`: whoever signed in within the last minutes, in person: for what a stolen or forgotten session must not change.
 */
export type Access = 'open' | 'session' | 'own' | 'fresh';

export interface Call<Body> {
  req: Request;
  res: Response;
  body: Body;
  /** Of a sign-in; with the session that the request carries. */
  context: RequestContext;
  /** A parameter of the path. */
  param: (name: string) => string;
}

/** A call of somebody who is signed in. They act on themselves: `me` is the only user it may name. */
export interface MemberCall<Body> extends Call<Body> {
  me: ServiceUser;
  session: LiveSession;
  /** The token that the request was authenticated with. */
  token: string;
}

type CallOf<A extends Access, Body> = A extends 'open' ? Call<Body> : MemberCall<Body>;

/** What the OpenAPI document says of a route, whether it is mounted from here or has a handler of its own. */
export interface RouteDescription {
  method: 'get' | 'post' | 'put' | 'delete';
  /** Express's spelling: `/devices/:id`. */
  path: string;
  /** Of the operation, and of the client's method: `devices.revoke`. Where it is left out, `operationName` makes it. */
  name?: string;
  /** One line for the document. */
  summary: string;
  access: Access;
  query?: ZodObject;
  body?: ZodType;
  /** What a success answers in JSON. */
  answer?: ZodType;
  /**
   * In place of an answer: `away` sends the browser to somebody else and refuses in JSON; `back` is where a link or somebody else
   * sends it, and redirects whatever went wrong. HEAD answers 200 on both, and nothing happens.
   */
  redirects?: 'away' | 'back';
  /** Codes of its own, beside those that any endpoint of its kind may answer. */
  errors?: readonly ServiceErrorCode[];
  /** Whether a success sets the session cookie. */
  setsSession?: boolean;
}

export interface Endpoint<A extends Access = Access, Body = unknown> extends RouteDescription {
  access: A;
  body?: ZodType<Body>;
  answer: ZodType;
  /**
   * Throws where the method is not there to be used, before anything of the request is read: what is missing is the same for
   * every caller.
   */
  needs?: (param: Call<unknown>['param']) => unknown;
  /** Of a `fresh` one: who may call it in person at any age of their session. */
  atAnyAge?: (call: { me: ServiceUser; param: Call<unknown>['param'] }) => boolean | Promise<boolean>;
  handle(call: CallOf<A, Body>): Promise<unknown>;
}

/** Types an endpoint by its `access` and `body`. */
export function endpoint<A extends Access, Body = undefined>(definition: Endpoint<A, Body>): Endpoint {
  return definition;
}

export interface MountOptions {
  service: Service;
  read: BodyReader;
  /** How long a sign-in counts as fresh, in milliseconds. */
  freshMs: number;
}

export function mount(router: Router, endpoints: readonly Endpoint[], options: MountOptions): void {
  for (const each of endpoints) router[each.method](each.path, handlerOf(each, options));
}

function handlerOf(definition: Endpoint, { service, read, freshMs }: MountOptions): RequestHandler {
  const { access, body: schema, method } = definition;
  const answer = async (req: Request, res: Response) => {
    const param = (name: string) => String(req.params[name] ?? '');
    definition.needs?.(param);
    const member = access === 'open' ? null : await memberOf(service, req, res);
    if (member && access === 'own') requireInPerson(member.session);
    if (member && access === 'fresh') {
      requireInPerson(member.session);
      const isExempt = (await definition.atAnyAge?.({ me: member.me, param })) === true;
      if (!isExempt) requireFresh(member.session, service[internals].clock() - freshMs);
    }
    const wasComplete = req.complete;
    const body = schema ? await read(req, res, schema) : undefined;
    // A client can send its body minutes after the headers: what ended the session since then counts.
    if (member && schema && !wasComplete) await service[internals].sessions.authenticate(member.token);
    const context = {
      ...signInContext(service, req, member?.token),
      ...(member && { sessionEpoch: member.session.user.epoch, [routeSession]: member.session }),
    };
    const call = { req, res, body, context, param, ...member };
    sendJson(res, await definition.handle(call));
  };
  // What only reads may be called from anywhere: the browser keeps the answer from other sites.
  return method === 'get' ? get(answer) : post(service, answer);
}

async function memberOf(service: Service, req: Request, res: Response) {
  const { live, token } = await authenticate(service, req, res);
  return { me: toServiceUser(live.user), session: live, token };
}
