/** Cookies that browsers drop, do not send, or send twice. */
import { isLoopback } from '../../core/support/link-targets.js';
import type { Examined, Family, Found } from './finding.js';
import { isEncrypted, originOfRequest, pageUrls } from './page-urls.js';

export const cookies: Family = {
  kinds: {
    cookie_secure_http: {
      severity: 'error',
      why: 'Browsers drop Secure cookies that come over plain http. Users sign in and are signed out at the next page.',
    },
    cookie_none_insecure: {
      severity: 'error',
      why: 'Browsers drop cookies with SameSite=None that are not Secure.',
    },
    cookie_domain: {
      severity: 'error',
      why: 'Browsers drop cookies for a domain to which the server does not belong.',
    },
    cookie_path: {
      severity: 'warning',
      why: 'Browsers do not send the cookie to pages outside of this path, so guards find no session there.',
    },
    cookie_strict: {
      severity: 'warning',
      why: 'Browsers do not send such a cookie with the first page after a redirect of an identity provider or a link in a mail: the user seems to be signed out.',
    },
    cookie_duplicate: {
      severity: 'warning',
      why: 'Another application on a parent domain or another path sets a cookie of the same name, or session.cookie.domain has changed. Which one comes first depends on the browser.',
    },
  },
  checks: { 'the session cookie': checkCookie },
};

function checkCookie(examined: Examined): Found[] {
  const { config, isProduction, request } = examined;
  const { cookie } = config.session;
  const page = originOfRequest(examined);
  const isSecure = cookie.secure === true || (cookie.secure === 'auto' && isProduction);
  const found: Found[] = [];
  const insecurePage = insecurePageOf(examined, page);
  if (isSecure && insecurePage)
    found.push({
      id: 'cookie_secure_http',
      title: `The session cookie is Secure, but ${insecurePage} is plain http.`,
      fix: "Use https; behind a proxy with TLS, app.set('trust proxy', 1). Without TLS, session: { cookie: { secure: false } }.",
    });
  if (cookie.sameSite === 'none' && cookie.secure === 'auto' && !isProduction && page?.protocol !== 'https:')
    found.push({
      id: 'cookie_none_insecure',
      title: 'session.cookie.sameSite is none, and the cookie is not Secure over http.',
      fix: "session: { cookie: { sameSite: 'none', secure: true } }",
    });
  found.push(...checkDomain(examined, page));
  if (cookie.path !== '/')
    found.push({
      id: 'cookie_path',
      title: `session.cookie.path is ${cookie.path}.`,
      fix: "session: { cookie: { path: '/' } }",
    });
  const { google, magicLink, oauth } = config.providers;
  if (cookie.sameSite === 'strict' && (google ?? magicLink ?? oauth))
    found.push({
      id: 'cookie_strict',
      title: 'session.cookie.sameSite is strict, and users sign in with links or identity providers.',
      fix: "session: { cookie: { sameSite: 'lax' } }",
    });
  const count = request ? countOf(request.headers.cookie, cookie.name) : 0;
  if (count > 1)
    found.push({
      id: 'cookie_duplicate',
      title: `The request has ${count} cookies with the name ${cookie.name}.`,
      fix: "session: { cookie: { name: '__Host-acme_session', secure: true } }",
    });
  return found;
}

/** Returns a page over plain http, as the request or else the configuration says. */
function insecurePageOf({ config, request }: Examined, page: URL | null): string | null {
  if (request) return page?.protocol === 'http:' && !isEncrypted(request) ? 'the request' : null;
  const insecure = pageUrls(config).find(([, url]) => url.protocol === 'http:' && !isLoopback(url.hostname));
  return insecure?.[0] ?? null;
}

function checkDomain({ config }: Examined, page: URL | null): Found[] {
  const domain = config.session.cookie.domain?.replace(/^\./, '').toLowerCase();
  if (domain === undefined) return [];
  const hosts = page ? [page.hostname] : pageUrls(config).map(([, { hostname }]) => hostname);
  const foreign = hosts.find((host) => host !== domain && !host.endsWith(`.${domain}`));
  // A cookie for a whole top-level domain is dropped everywhere.
  if (domain.includes('.') && foreign === undefined) return [];
  return [
    {
      id: 'cookie_domain',
      title: `session.cookie.domain is ${domain}${foreign === undefined ? ', a top-level domain' : `, but the server is ${foreign}`}.`,
      fix: 'session: { cookie: {} } // without domain',
    },
  ];
}

function countOf(header: string | undefined, name: string): number {
  return (header ?? '').split(';').filter((pair) => pair.trim().startsWith(`${name}=`)).length;
}
