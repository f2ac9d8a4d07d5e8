/** The request behind what Nest calls: an HTTP route, a resolver of GraphQL, or the message of a socket. */
import type { ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { InternalError } from '../errors/catalog.js';
import { handshakeRequest, type Handshake } from '../http/handshake.js';
import { handshakeOf } from './handshake.js';

export type Kind = 'http' | 'graphql' | 'ws';

export interface Call {
  kind: Kind;
  req: Request;
  /** Undefined for the message of a socket, to which no cookie can be set. */
  res: Response | undefined;
}

/** @throws InternalError if the application does not pass on the request. */
export function callOf(context: ExecutionContext): Call {
  const kind = kindOf(context);
  if (kind === 'http') {
    const http = context.switchToHttp();
    return { kind, req: http.getRequest<Request>(), res: http.getResponse<Response>() };
  }
  if (kind === 'graphql') return ofGraphQL(context.getArgByIndex(2));
  return { kind, req: handshakeOf(context.switchToWs().getClient<object>()), res: undefined };
}

/** @throws InternalError for a message of a queue or another service, which has no session. */
export function kindOf(context: Pick<ExecutionContext, 'getType'>): Kind {
  const kind = context.getType<string>();
  if (kind === 'http' || kind === 'graphql' || kind === 'ws') return kind;
  throw explained(`AuthGuard does not guard handlers of the type ${kind}.`);
}

/** Of Apollo and other drivers: `{ req, res }`. Of a subscription: `{ req: { extra: { request } } }`, of graphql-ws. */
interface GraphQLContext {
  req?: Request & { extra?: { request?: Handshake; svcAuth?: Request } };
  res?: Response;
}

function ofGraphQL(context: GraphQLContext | undefined): Call {
  const { req, res } = context ?? {};
  const extra = req?.extra;
  if (extra?.request) {
    // One for all messages of the socket: it has the user.
    extra.svcAuth ??= handshakeRequest(extra.request);
    return { kind: 'graphql', req: extra.svcAuth, res: undefined };
  }
  if (!req?.headers)
    throw explained(
      'The context of GraphQL must contain the request: context: ({ req, res }) => ({ req, res }).',
    );
  return { kind: 'graphql', req, res: res ?? req.res };
}

const explained = (message: string) => new InternalError(undefined, message);
