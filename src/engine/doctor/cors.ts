/** CORS that browsers refuse, or that lets every site read. */
import { isBearerConfigured, siteOf } from './sites.js';
import { routersIn, type Layer } from './express-app.js';
import { callHandler } from './fake-request.js';
import type { Examined, Family, Found } from './finding.js';
import { originOfRequest, pageUrls } from './page-urls.js';

export const cors: Family = {
  kinds: {
    cors_wildcard: {
      severity: 'error',
      why: 'Browsers refuse the response of a request with cookies if it allows every origin with "*".',
    },
    cors_any_origin: {
      severity: 'error',
      why: 'Every site that a user visits can read the responses of the routes in the name of this user.',
    },
    cors_after_router: {
      severity: 'error',
      why: 'The routes respond before it, so browsers refuse their responses and preflights.',
    },
    cors_no_credentials: {
      severity: 'warning',
      why: 'Browsers send no cookie with a request to another origin without it, so no page there is signed in.',
    },
    cors_cookie_cross_site: {
      severity: 'error',
      why: 'Browsers do not send a SameSite cookie with requests of another site, whatever CORS allows.',
    },
  },
  checks: { CORS: checkCors },
};

/** No page has it (RFC 6761). */
const strange = 'https://svc-auth-doctor.invalid';

interface Allowed {
  origin: string | undefined;
  credentials: boolean;
}

async function checkCors(examined: Examined): Promise<Found[]> {
  const { app, config, internals, request } = examined;
  const own = routersIn(app?.stack ?? []).filter((router) => router.internals === internals);
  const isCors = ({ name }: Layer) => name === 'corsMiddleware';
  const before = [...new Set(own.flatMap((router) => router.before.filter(isCors)))];
  const after = own.flatMap((router) => router.after.filter(isCors));
  const found: Found[] = [];
  for (const { handle } of before) found.push(...judge(await allowedBy(handle), examined));
  const header = (name: string) => request?.res?.getHeader?.(name);
  const sent = header('access-control-allow-origin');
  // What was set by hand.
  if (before.length === 0 && typeof sent === 'string')
    found.push(
      ...judge(
        { origin: sent, credentials: String(header('access-control-allow-credentials')) === 'true' },
        examined,
        request?.headers.origin,
      ),
    );
  if (before.length === 0 && after.length > 0)
    found.push({
      id: 'cors_after_router',
      title: 'cors() is mounted after the router.',
      fix: "app.use(cors({ … })) // before app.use('/api/auth', createAuthRouter(service))",
    });
  const foreign = foreignSite(examined);
  if (foreign !== null && !isBearerConfigured(config) && config.session.cookie.sameSite !== 'none')
    found.push({
      id: 'cors_cookie_cross_site',
      title: `CORS allows ${foreign} credentials, but the session cookie is SameSite=${config.session.cookie.sameSite}.`,
      fix: 'session: { bearer: true } // or serve the pages from the same site',
    });
  return found;

  function foreignSite({ config: { trustedOrigins } }: Examined): string | null {
    const host = originOfRequest(examined)?.hostname ?? pageUrls(config)[0]?.[1].hostname;
    if (host === undefined || before.length === 0) return null;
    const isForeign = (origin: string) =>
      /^https?:/.test(origin) && siteOf(new URL(origin).hostname) !== siteOf(host);
    return trustedOrigins.find(isForeign) ?? null;
  }
}

async function allowedBy(handle: Layer['handle']): Promise<Allowed> {
  const { headers } = await callHandler(handle, { method: 'GET', headers: { origin: strange } });
  return {
    origin: headers['access-control-allow-origin'],
    credentials: headers['access-control-allow-credentials'] === 'true',
  };
}

/** @param sentOrigin of the request, if the headers are those of its response. */
function judge({ origin, credentials }: Allowed, { config }: Examined, sentOrigin?: string): Found[] {
  const fix = "app.use(cors({ origin: ['https://app.acme.com'], credentials: true }))";
  if (origin === '*' && credentials)
    return [{ id: 'cors_wildcard', title: 'CORS allows "*" together with credentials.', fix }];
  if (origin === strange && credentials)
    return [{ id: 'cors_any_origin', title: 'CORS allows every origin credentials.', fix }];
  const isReflected = sentOrigin !== undefined && origin === sentOrigin;
  const specific = origin !== undefined && origin !== '*' && origin !== strange;
  const isTrusted = specific && config.trustedOrigins.includes(origin);
  if (isTrusted && !credentials && !isBearerConfigured(config) && !isReflected)
    return [{ id: 'cors_no_credentials', title: `CORS allows ${origin} no credentials.`, fix }];
  return [];
}
