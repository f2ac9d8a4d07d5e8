/**
 * The body of a request, whatever body parsers the application has or has not run before: it never hangs, and
 * never takes a form or a text for JSON. JSON everywhere, but where an identity provider's page posts a form.
 */
import type { Request, RequestHandler, Response } from 'express';
import type { ZodType } from 'zod';
import { InvalidRequestError } from '../errors/catalog.js';
import { loadExpress } from '../runtime/load.js';
import { because, type Refusal } from './refusal.js';

const limit = '16kb';

export type BodyReader = <T>(req: Request, res: Response, schema: ZodType<T>) => Promise<T>;

/** @throws InvalidRequestError, by the reader, for everything that is not the JSON object asked for. */
export function createBodyReader(): BodyReader {
  const parseJson = loadExpress().json({ limit, type: 'application/json' });
  return async (req, res, schema) => {
    const body = await bodyOf(req, res, 'application/json', parseJson);
    const parsed = schema.safeParse(typeof body === 'string' ? parseText(body) : body);
    if (!parsed.success) throw new InvalidRequestError(undefined, because(parsedBy(req, body)));
    return parsed.data;
  };
}

export type FormReader = (req: Request, res: Response) => Promise<URLSearchParams>;

/** @throws InvalidRequestError, by the reader, for what is no form. */
export function createFormReader(): FormReader {
  const type = 'application/x-www-form-urlencoded';
  const parseForm = loadExpress().urlencoded({ extended: false, limit, type });
  return async (req, res) => {
    const body = await bodyOf(req, res, type, parseForm);
    if (typeof body === 'string') return new URLSearchParams(body);
    const fields = Object.entries(body ?? {}).flatMap(([name, value]: [string, unknown]) =>
      // A field that came twice stays two: whoever reads it must see that.
      (Array.isArray(value) ? value : [value]).map((each) => [name, each] as [string, unknown]),
    );
    return new URLSearchParams(
      fields.filter((field): field is [string, string] => typeof field[1] === 'string'),
    );
  };
}

const takenByOther = 'body_parsed_elsewhere';
/** An object without the fields; or no object, because another middleware consumed the body. */
const parsedBy = (req: Request, body: unknown): Refusal =>
  body === undefined && wasRead(req) ? takenByOther : 'body_fields';

/** As the application's parser or ours has parsed it, or the text where somebody only read it. */
async function bodyOf(req: Request, res: Response, type: string, parse: RequestHandler): Promise<unknown> {
  if (!req.is(type)) throw wrongContentType(req, type);
  const body: unknown = req.body;
  if (Buffer.isBuffer(body) || typeof body === 'string') return body.toString();
  // A parser that read the body says so; one that only put `{}` there (Express 4) has left the stream alone.
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

function wasRead(req: Request): boolean {
  return (req as { _body?: boolean })._body === true || req.readableEnded || req.readableDidRead;
}

/** Names both types: the usual mistakes are a form and a missing header. */
function wrongContentType(req: Request, type: string): InvalidRequestError {
  const sent = req.get('content-type')?.slice(0, 100) ?? 'missing';
  const parsed = wasRead(req) ? ' A body parser of the application has read this body.' : '';
  const detail = `The content type must be ${type}, but is ${sent}.${parsed}`;
  return new InvalidRequestError(detail, because('content_type'));
}

/** The check that a body parser of Express made, or undefined for any other error. */
export function refusalOfParser(error: unknown): ReturnType<typeof because> | undefined {
  const { expose, status, type } = (error ?? {}) as { expose?: unknown; status?: unknown; type?: unknown };
  const isOfParser = expose === true && typeof status === 'number' && typeof type === 'string';
  if (!isOfParser || status >= 500) return undefined;
  return because(type === 'entity.too.large' ? 'body_too_large' : 'body_malformed');
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidRequestError(undefined, because('body_malformed'));
  }
}

function hasKeys(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.keys(body).length > 0;
}
