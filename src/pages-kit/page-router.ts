/** Mounts server-rendered pages and their files on an Express router. */
import type { NextFunction, Request, RequestHandler, Response, Router } from 'express';
import { loadExpress } from '../runtime/load.js';
import type { ServiceInternals } from '../core/internals.js';
import { inRequest } from '../http/acting-request.js';
import { redirect } from '../http/redirects.js';
import type { Asset } from './assets.js';
import { preferredEncoding } from './encodings.js';
import { setFileHeaders, setPageHeaders } from './page-headers.js';

export interface PageRoute {
  method: 'GET' | 'POST';
  /** In Express syntax: `/users/:id`. Or what is below a path: `/users/*`, for browsers that no other route of this router answers. */
  path: string;
  /** @param next passes the request on to the application. */
  handle: (req: Request, res: Response, next: NextFunction) => Promise<void>;
}

/**
 * Returns an Express router with the pages, in the order of the list, and their files.
 * @param onError responds to an error of a page.
 */
export function createPageRouter(
  tools: ServiceInternals,
  routes: readonly PageRoute[],
  assets: readonly Asset[],
  onError: (error: unknown, req: Request, res: Response) => void,
): Router {
  const router = loadExpress().Router();
  for (const asset of assets)
    router.get(asset.path, (req, res, next) => void sendAsset(req, res, asset).catch(next));
  for (const { method, path, handle } of routes) {
    const verb = method === 'GET' ? 'get' : 'post';
    // Express 4 does not pass a rejection on.
    const handler: RequestHandler = (req, res, next) =>
      void inRequest(tools, req, () => handle(req, res, next)).catch(next);
    if (path.endsWith('/*')) router.use(forBrowsers(method, path.slice(0, -1), handler));
    else router[verb](path, handler);
  }
  router.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    // A timeout of the application may have responded already.
    if (res.headersSent) return;
    // An error before the page, such as a malformed path, has none of them yet.
    setPageHeaders(res);
    onError(error, req, res);
  });
  return router;
}

/**
 * Answers a browser that opens a page, or sends a form, below a path. The requests of scripts and other clients are passed to the
 * routes of the application. Not a wildcard, which the versions of Express write in different ways.
 */
function forBrowsers(method: PageRoute['method'], start: string, handler: RequestHandler): RequestHandler {
  return (req, res, next) => {
    const isMethod = req.method === method || (method === 'GET' && req.method === 'HEAD');
    const isBelow = req.path.toLowerCase().startsWith(start.toLowerCase());
    const isBrowser = req.headers.accept?.includes('text/html') === true;
    return isMethod && isBelow && isBrowser ? handler(req, res, next) : next();
  };
}

export { sendPage } from '../http/respond.js';

/** Redirects with GET, also after a POST (RFC 9110, 15.4.4), so that a reload repeats nothing. */
export function seeOther(res: Response, target: string): void {
  redirect(res, target, 303);
}

async function sendAsset(req: Request, res: Response, { type, encoded }: Asset): Promise<void> {
  const encoding = preferredEncoding(req.headers['accept-encoding']);
  const { [encoding]: content } = await encoded();
  setFileHeaders(res);
  // The name contains a digest of the content.
  res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
  res.setHeader('Content-Type', type);
  res.vary('Accept-Encoding');
  if (encoding !== 'identity') res.setHeader('Content-Encoding', encoding);
  res.setHeader('Content-Length', content.length);
  res.end(content);
}
