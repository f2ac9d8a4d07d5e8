/**
 * Reads the body of a request, with or without a body parser of the application: never waits for a
 * body that was consumed, and never accepts a form or plain text as JSON. Bodies are JSON, except
 * for the form that an identity provider's page posts.
 */
import type { Request, RequestHandler, Response } from 'express';
import type { ZodType } from 'zod';
import { InvalidRequestError } from '../errors/catalog.js';
import { loadExpress } from '../runtime/load.js';
import type { Reason } from '../errors/reasons.js';
import { because } from './refusal.js';

const usualLimit = '16kb';
const json = 'application/json';

export type BodyReader = <T>(req: Request, res: Response, schema: ZodType<T>) => Promise<T>;

/** The reader throws InvalidRequestError if the body is not JSON or does not match the schema. */
export function createBodyReader(): BodyReader {
  const parseJson = loadExpress().json({ limit: usualLimit, type: json });
  return async (req, res, schema) => {
    const body = hasNoBody(req) && isOptional(schema) ? undefined : await bodyOf(req, res, json, parseJson);
    const parsed = schema.safeParse(typeof body === 'string' ? parseString(body) : body);
    if (!parsed.success) throw new InvalidRequestError(undefined, because(mismatchOf(req, body)));
    return parsed.data;
  };
}

/** Returns whether a request without a body matches the schema. */
export function isOptional(schema: ZodType): boolean {
  return schema.safeParse(undefined).success;
}

export type FormReader = (req: Request, res: Response) => Promise<URLSearchParams>;

/**
 * The reader throws InvalidRequestError if the body is not a form.
 * @param limit maximum size of the body, such as `64kb`.
 */
export function createFormReader(limit = usualLimit): FormReader {
  const type = 'application/x-www-form-urlencoded';
  const parseForm = loadExpress().urlencoded({ extended: false, limit, type });
  return async (req, res) => {
    const body = await bodyOf(req, res, type, parseForm);
    if (typeof body === 'string') return new URLSearchParams(body);
    const fields = Object.entries(body ?? {}).flatMap(([name, value]: [string, unknown]) =>
      // Keeps repeated fields, so that the provider can refuse them.
      (Array.isArray(value) ? value : [value]).map((each) => [name, each] as [string, unknown]),
    );
    return new URLSearchParams(
      fields.filter((field): field is [string, string] => typeof field[1] === 'string'),
    );
  };
}

/**
 * Returns why a body does not match: another middleware has consumed it, or its fields are wrong.
 */
function mismatchOf(req: Request, body: unknown): Reason {
  return body === undefined && wasRead(req) ? 'body_parsed_elsewhere' : 'body_fields';
}

/** Returns the parsed body, or a string if a middleware has read the body without parsing it. */
async function bodyOf(req: Request, res: Response, type: string, parse: RequestHandler): Promise<unknown> {
  if (!req.is(type)) throw wrongContentType(req, type);
  const body: unknown = req.body;
  if (Buffer.isBuffer(body) || typeof body === 'string') return body.toString();
  // Parsers mark a body that they have read. Express 4 also sets `{}` without reading the stream.
  if (wasRead(req)) return body;
  if (req.destroyed || hasKeys(body)) return body;
  await new Promise<void>((resolve, reject) => {
    parse(req, res, (error?: unknown) => {
      if (error === undefined) return resolve();
      reject(new InvalidRequestError(undefined, refusalOfParser(error) ?? because('body_malformed')));
    });
  });
  return req.body;
}

function hasNoBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > 0);
}

function wasRead(req: Request): boolean {
  return (req as { _body?: boolean })._body === true || req.readableEnded || req.readableDidRead;
}

/** Names both types, because the usual mistakes are a form and a missing header. */
function wrongContentType(req: Request, type: string): InvalidRequestError {
  const sent = req.get('content-type')?.slice(0, 100) ?? 'missing';
  const parsed = wasRead(req) ? ' A body parser of the application has read this body.' : '';
  const detail = `The content type must be ${type}, but is ${sent}.${parsed}`;
  return new InvalidRequestError(detail, because('content_type'));
}

/** Returns the refusal for an error of Express's body parsers, or undefined for any other error. */
export function refusalOfParser(error: unknown): ReturnType<typeof because> | undefined {
  const { expose, status, type } = (error ?? {}) as { expose?: unknown; status?: unknown; type?: unknown };
  const isParserError = expose === true && typeof status === 'number' && typeof type === 'string';
  if (!isParserError || status >= 500) return undefined;
  return because(type === 'entity.too.large' ? 'body_too_large' : 'body_malformed');
}

function parseString(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidRequestError(undefined, because('body_malformed'));
  }
}

function hasKeys(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.keys(body).length > 0;
}
