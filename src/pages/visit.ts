/** Reads a request to a page, and leads to the next one. Checks nothing. */
import type { Request, Response } from 'express';
import { redirect } from '../http/redirects.js';
import { queryOf } from '../http/request-context.js';
import { allowPictures, setPageHeaders } from '../pages-kit/page-headers.js';
import { followLink, readFlow, writeFlow } from './flow.js';
import type { Settings } from './options.js';
import { isPath } from './paths.js';
import type { Entry, Next } from './page.js';

/** The language of the request must be loaded: `PageLanguages.prepare`. */
export function enter(settings: Settings, req: Request, res: Response): Entry {
  setPageHeaders(res);
  allowPictures(res, settings.imageOrigins);
  const { configured, languages, service } = settings;
  const flow = readFlow(service, req);
  const query = queryOf(req);
  const next = query.get('next');
  if (isPath(next)) flow.next = next;
  const link = query.get('link');
  if (link !== null) followLink(flow, link);
  // A cache of the application must not keep a page for readers of other languages.
  res.vary('Accept-Language');
  return {
    ...settings,
    ...configured(),
    ...languages.ofRequest(req),
    req,
    res,
    base: baseOf(req),
    flow,
    keep(change) {
      Object.assign(flow, change);
      writeFlow(service, req, res, flow);
    },
    query,
  };
}

/** The path at which the pages are mounted. More than one slash at the start would name another site. */
function baseOf(req: Request): string {
  return req.baseUrl.replace(/^[/\\]+/, '/').replace(/\/$/, '');
}

/** Redirects with GET unless the next page gets the form, also after a POST, so that a reload repeats nothing. */
export function follow(
  { base, req, res }: Pick<Entry, 'base' | 'req' | 'res'>,
  { to, isOutside, repeatsForm }: Next,
): void {
  const target = isOutside ? to : base + to;
  // The script asks for the target, because it cannot see where a redirect leads.
  if (req.headers['svc-pages'] !== undefined) {
    res.statusCode = 204;
    res.setHeader('Svc-Location', target);
    return void res.end();
  }
  redirect(res, target, repeatsForm ? 307 : 303);
}
