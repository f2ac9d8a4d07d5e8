/**
 * The JSON body of a request, whatever body parsers the application has or has not run before: it never hangs, and
 * never takes a form or a text for JSON.
 */
import type { Request, RequestHandler, Response } from 'express';
import type { ZodType } from 'zod';
import { InvalidRequestError } from '../errors/catalog.js';
import { loadExpress } from '../runtime/load.js';

const limit = '16kb';

export type BodyReader = <T>(req: Request, res: Response, schema: ZodType<T>) => Promise<T>;

/** @throws InvalidRequestError, by the reader, for everything that is not the JSON object asked for. */
export function createBodyReader(): BodyReader {
  const parseJson = loadExpress().json({ limit, type: 'application/json' });
  return async (req, res, schema) => {
    const parsed = schema.safeParse(await jsonBody(req, res, parseJson));
    if (!parsed.success) throw new InvalidRequestError();
    return parsed.data;
  };
}

async function jsonBody(req: Request, res: Response, parseJson: RequestHandler): Promise<unknown> {
  if (!req.is('application/json'))
    throw new InvalidRequestError('The content type must be application/json.');
  const body: unknown = req.body;
  if (Buffer.isBuffer(body) || typeof body === 'string') return parseText(body.toString());
  // A parser that read the body says so; one that only put `{}` there (Express 4) has left the stream alone.
  const wasRead = (req as { _body?: boolean })._body === true || req.readableEnded || req.readableDidRead;
  if (wasRead) return body;
  if (req.destroyed || hasKeys(body)) return body;
  await new Promise<void>((resolve, reject) => {
    parseJson(req, res, (error?: unknown) =>
      error === undefined ? resolve() : reject(new InvalidRequestError()),
    );
  });
  return req.body;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidRequestError();
  }
}

function hasKeys(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.keys(body).length > 0;
}
