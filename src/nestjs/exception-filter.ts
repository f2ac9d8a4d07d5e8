/** Translates errors of the service that handlers throw. */
import { Catch, Inject, Injectable, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Service } from '../engine/service.js';
import { isServiceError, type ServiceError } from '../errors/service-error.js';
import { internals } from '../core/internals.js';
import { setProofChallenge } from '../http/key-proofs.js';
import { errorBody, setRetryAfter, statusOf, toServiceError } from '../http/error-handler.js';
import { setReason } from '../http/refusal.js';
import { sendJson, setResponseHeaders } from '../http/respond.js';
import { bodyOfMessage, exceptionFor, RefusedMessage } from './exceptions.js';
import { handshakeRequest } from '../http/handshake.js';
import { handshakeForLog } from './handshake.js';
import { kindOf } from './request-of.js';
import { sendRefusal } from './socket-refusals.js';
import { SVC_AUTH } from './tokens.js';

/** Matches, with `instanceof`, errors of the service, also those of another copy of the package. */
class AnyServiceError {
  static [Symbol.hasInstance](error: unknown): boolean {
    return isServiceError(error);
  }
}

/**
 * Responds to every `ServiceError` of a handler with its status and `{ statusCode, error: code,
 * message, … }`; of a resolver with `extensions.code`; of a message with the event `exception`. Use
 * it as `{ provide: APP_FILTER, useClass: SvcAuthExceptionFilter }`, and with `@UseFilters` on
 * gateways.
 */
export class SvcAuthExceptionFilter implements ExceptionFilter {
  constructor(private readonly service: Service) {}

  /** @throws an exception with the code, if the handler is a resolver of GraphQL. */
  catch(exception: unknown, host: ArgumentsHost): void {
    const tools = this.service[internals];
    const kind = kindOf(host);
    if (kind === 'ws') {
      const client = host.switchToWs().getClient<object>();
      const refused = bodyOfMessage(exception);
      return sendRefusal(
        client,
        refused ?? errorBody(toServiceError(exception, handshakeForLog(client), tools)),
      );
    }
    if (kind === 'graphql') {
      const { req } = host.getArgByIndex<{ req?: Request } | undefined>(2) ?? {};
      // The request is for the log. That of a subscription has no headers.
      const logged = req?.headers ? req : handshakeRequest({ headers: {} });
      throw exceptionFor('graphql', toServiceError(exception, logged, tools));
    }
    const http = host.switchToHttp();
    const res = http.getResponse<Response>();
    const error = toServiceError(exception, http.getRequest<Request>(), tools);
    // A timeout of the application may have responded already.
    if (!res.headersSent) respond(res, error);
  }
}

Catch(AnyServiceError, RefusedMessage)(SvcAuthExceptionFilter);
Injectable()(SvcAuthExceptionFilter);
Inject(SVC_AUTH)(SvcAuthExceptionFilter, undefined, 0);

function respond(res: Response, error: ServiceError): void {
  const statusCode = statusOf(error.code);
  setResponseHeaders(res);
  setRetryAfter(res, error);
  setProofChallenge(res, error);
  setReason(res, error);
  sendJson(res, { statusCode, ...errorBody(error) }, statusCode);
}
