/** Requests of browsers to the endpoints: those of scripts of other sites, those before the user has made one, and forms. */
import type { Request, RequestHandler, Response } from 'express';
import { InvalidRequestError } from '../errors/catalog.js';
import { isPrefetch } from '../http/request-context.js';
import { setResponseHeaders } from '../http/respond.js';
import { loadExpress } from '../runtime/load.js';
import { isLoopback } from './redirect-uris.js';

/** Every site may read the answer. No cookie decides about it. */
export function allowOrigins(res: Response): void {
  res.setHeader('Access-Control-Allow-Origin', '*');
}

/** Answers the question of a browser whether a script may send a request (Fetch, 4.8). */
export function preflight(methods: string): RequestHandler {
  return (_req, res) => {
    allowOrigins(res);
    res.setHeader('Access-Control-Allow-Methods', methods);
    res.setHeader('Access-Control-Allow-Headers', 'Content-Type, MCP-Protocol-Version');
    res.setHeader('Access-Control-Max-Age', '3600');
    res.statusCode = 204;
    res.end();
  };
}

/** Returns whether scripts of an origin may act for a client: they come from where its users return. Any port of a loopback address. */
export function isOriginOf(origin: string, redirectUris: readonly string[]): boolean {
  const asked = URL.canParse(origin) ? new URL(origin) : null;
  return redirectUris.some((uri) => {
    const url = new URL(uri);
    const isSame = url.origin === origin && url.origin !== 'null';
    const isLocal = asked?.protocol === url.protocol && asked.hostname === url.hostname && isLoopback(url);
    return isSame || isLocal;
  });
}

/** Answers without an effect if a browser or a scanner opens an address before its user does. */
export const withoutPrefetch: RequestHandler = (req, res, next) => {
  if (req.method !== 'HEAD' && !isPrefetch(req)) return next();
  setResponseHeaders(res);
  res.statusCode = 204;
  res.end();
};

const maxFormBytes = 8 * 1024;

/**
 * Reads the form of a request, unless the application has read it.
 * @param refuse answers for a form that is malformed or too large, which the application must not do.
 */
export function readForm(refuse: (req: Request, res: Response, error: unknown) => unknown): RequestHandler {
  const read = loadExpress().text({ type: 'application/x-www-form-urlencoded', limit: maxFormBytes });
  return (req, res, next) =>
    read(req, res, (error?: unknown) => {
      if (error === undefined) return next();
      refuse(req, res, new InvalidRequestError('The form is malformed, or has more than 8 kB.'));
    });
}

/**
 * Returns the parameters of a form.
 * @throws InvalidRequestError without one.
 */
export function formOf({ body }: Request): URLSearchParams {
  const content: unknown = body;
  const params = new URLSearchParams(typeof content === 'string' ? content : pairsOf(content));
  if (params.size === 0) throw new InvalidRequestError('The request must have parameters.');
  return params;
}

/** Of a form that the application has read. */
function pairsOf(fields: unknown): [name: string, value: string][] {
  if (typeof fields !== 'object' || fields === null) return [];
  return Object.entries(fields).flatMap(([name, value]: [string, unknown]) =>
    (Array.isArray(value) ? value : [value]).map((each): [string, string] => [name, String(each)]),
  );
}
