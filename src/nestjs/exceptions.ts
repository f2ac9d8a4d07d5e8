/** Errors in the forms of Nest, with the codes of docs/errors.md. */
import { HttpException } from '@nestjs/common';
import { errorBody, statusOf, type ErrorBody } from '../http/error-handler.js';
import type { ServiceError } from '../errors/service-error.js';
import { loadNestWebSockets } from '../runtime/load.js';
import type { Kind } from './request-of.js';

/** The response to a refused request: `{ statusCode, error: code, message, … }`. */
export class SvcAuthHttpException extends HttpException {
  readonly code: ServiceError['code'];
  constructor(error: ServiceError) {
    const statusCode = statusOf(error.code);
    super({ statusCode, ...errorBody(error) }, statusCode, { cause: error });
    this.code = error.code;
  }
}

/** The error of a refused resolver: `extensions` are `{ code, … }`. */
export class SvcAuthGraphQLError extends HttpException {
  readonly code: ServiceError['code'];
  /** GraphQL sends them with the message. */
  readonly extensions: { code: ServiceError['code'] } & Readonly<Record<string, unknown>>;
  constructor(error: ServiceError) {
    const { error: code, message, ...others } = errorBody(error);
    // Without `statusCode`, for which Nest's Apollo driver would replace the code.
    super({ message, code, ...others }, statusOf(code), { cause: error });
    this.code = code;
    this.extensions = { code, ...others };
  }
}

const refusalOfMessage = Symbol('svc-auth.refusal');

/** Matches, with `instanceof`, what `SvcAuthExceptionFilter` translates. */
export class RefusedMessage {
  static [Symbol.hasInstance](error: unknown): boolean {
    return bodyOfMessage(error) !== undefined;
  }
}

/** Returns the body of an error that the guard has thrown for the message of a socket. */
export function bodyOfMessage(error: unknown): ErrorBody | undefined {
  return typeof error === 'object' && error !== null
    ? (error as { [refusalOfMessage]?: ErrorBody })[refusalOfMessage]
    : undefined;
}

/** Returns the error in the form that Nest expects of a guard or a handler. */
export function exceptionFor(kind: Kind, error: ServiceError): Error {
  if (kind === 'http') return new SvcAuthHttpException(error);
  if (kind === 'graphql') return new SvcAuthGraphQLError(error);
  const { WsException } = loadNestWebSockets();
  const body = errorBody(error);
  const exception = new WsException({ status: 'error', ...body });
  return Object.defineProperty(exception, refusalOfMessage, { value: body });
}
