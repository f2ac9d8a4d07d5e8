/** A request and a response without a connection, to find out what a body parser or `cors` does. */
import { Readable } from 'node:stream';
import { settlesWithin } from '../../core/support/timeouts.js';
import type { Handler } from './express-app.js';

const timeoutMs = 1_000;

export interface FakeRequest {
  method: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Outcome {
  /** What the handler passed on, if that is an error. */
  error: unknown;
  /** `req.body` after the handler. */
  body: unknown;
  headers: Readonly<Record<string, string>>;
  /** Whether the handler passed the request on, or responded to it. */
  isDone: boolean;
}

/** Calls a handler of a known package. */
export async function callHandler(
  handle: Handler,
  { method, headers, body = '' }: FakeRequest,
): Promise<Outcome> {
  const length = Buffer.byteLength(body);
  const req: Readable & { body?: unknown } = Object.assign(
    Readable.from(body === '' ? [] : [Buffer.from(body)]),
    {
      method,
      url: '/',
      originalUrl: '/',
      headers: { ...(length > 0 && { 'content-length': String(length) }), ...headers },
    },
  );
  const sent: Record<string, string> = {};
  let error: unknown;
  const done = new Promise<void>((resolve) => {
    const res = {
      statusCode: 200,
      setHeader: (name: string, value: unknown) => void (sent[name.toLowerCase()] = String(value)),
      getHeader: (name: string) => sent[name.toLowerCase()],
      end: () => resolve(),
    };
    const next = (failure?: unknown) => {
      error = failure;
      resolve();
    };
    try {
      handle(req, res, next);
    } catch (failure) {
      next(failure);
    }
  });
  const isDone = await settlesWithin(timeoutMs, done);
  const read = req.body;
  req.destroy();
  return { error, body: read, headers: sent, isDone };
}
