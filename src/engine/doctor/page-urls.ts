/** Every URL in the configuration at which a browser arrives. */
import type { ParsedConfig } from '../../config/schema.js';
import { isWebUrl } from '../../core/support/link-targets.js';
import type { Examined } from './finding.js';

/** Returns the URLs of pages and routes of the application, by the path of their option. */
export function pageUrls({ notices, providers }: ParsedConfig): [option: string, url: URL][] {
  const options: Record<string, string | undefined> = {
    'providers.magicLink.baseUrl': providers.magicLink?.baseUrl,
    'providers.emailPassword.resetUrl': providers.emailPassword?.resetUrl,
    'notices.baseUrl': notices?.baseUrl,
    'providers.google.redirectUri': providers.google?.redirectUri,
    'providers.orgs.inviteUrl': providers.orgs?.inviteUrl,
  };
  for (const [name, { redirectUri }] of Object.entries(providers.oauth ?? {}))
    options[`providers.oauth.${name}.redirectUri`] = redirectUri;
  return Object.entries(options).flatMap(([option, text]) => {
    if (text === undefined || !URL.canParse(text)) return [];
    const url = new URL(text);
    return isWebUrl(url) ? [[option, url] as [string, URL]] : [];
  });
}

/** Returns the origin of the page that a request comes from, as the browser sees it. Null if the request does not say it. */
export function originOfRequest({ request }: Pick<Examined, 'request'>): URL | null {
  const host = request && first(request.headers['x-forwarded-host'] ?? request.headers.host);
  if (!request || !host) return null;
  const forwarded = first(request.headers['x-forwarded-proto']);
  const scheme = forwarded ?? (isEncrypted(request) ? 'https' : 'http');
  const text = `${scheme}://${host}`;
  return URL.canParse(text) ? new URL(text) : null;
}

export function isEncrypted({ secure, socket }: NonNullable<Examined['request']>): boolean {
  return secure === true || (socket as { encrypted?: boolean } | undefined)?.encrypted === true;
}

export function first(header: string | string[] | undefined): string | undefined {
  return (Array.isArray(header) ? header[0] : header)?.split(',')[0]?.trim();
}

/** Returns paths of sign-ins, where the configured URLs say that the routers are, and where they usually are. */
export function routerPaths({ config, request }: Pick<Examined, 'config' | 'request'>): string[] {
  const ends = [/\/magic-link\/verify$/, /\/(?:google|idp)\/callback$/, /\/oauth\/[\w-]+\/callback$/];
  const configured = pageUrls(config).flatMap(([, { pathname }]) =>
    ends.flatMap((end) => (end.test(pathname) ? [pathname.replace(end, '')] : [])),
  );
  const { baseUrl } = (request ?? {}) as { baseUrl?: string };
  const usual = ['/api/auth', '/auth', '/api', '/account', ''];
  const bases = [...new Set([...configured, ...(baseUrl === undefined ? [] : [baseUrl]), ...usual])];
  return bases.map((base) => `${base}/password/login`);
}
