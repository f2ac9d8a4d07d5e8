/** The domain and the origins of passkeys, compared with where the pages are. `createService` compares them with each other. */
import { isLoopback } from '../../core/support/link-targets.js';
import type { Examined, Family, Found } from './finding.js';
import { originOfRequest, pageUrls } from './page-urls.js';

export const passkeys: Family = {
  kinds: {
    passkey_rp_id: {
      severity: 'error',
      why: 'Browsers refuse to create and to use passkeys on a page that is not at this domain or below it.',
    },
    passkey_rp_id_suffix: {
      severity: 'error',
      why: 'Browsers refuse a domain that belongs to many owners, so no passkey can be created.',
    },
    passkey_origin: {
      severity: 'error',
      why: 'A passkey of a page whose origin is missing is refused with passkey_invalid.',
    },
    passkey_localhost: {
      severity: 'error',
      why: 'Passkeys are bound to the domain. Those of localhost work on no other, and users cannot move them.',
    },
  },
  checks: { 'the domain of passkeys': checkPasskeys },
};

function checkPasskeys(examined: Examined): Found[] {
  const { config, isProduction } = examined;
  const { webauthn } = config.providers;
  if (!webauthn) return [];
  const { rpId, origins } = webauthn;
  const found: Found[] = [];
  if (isProduction && isLoopback(rpId))
    return [
      {
        id: 'passkey_localhost',
        title: `webauthn.rpId is ${rpId}, in production.`,
        fix: "webauthn: { rpId: 'acme.com', origins: ['https://acme.com'] }",
      },
    ];
  if (!rpId.includes('.') && !isLoopback(rpId))
    return [
      {
        id: 'passkey_rp_id_suffix',
        title: `webauthn.rpId is ${rpId}, a top-level domain.`,
        fix: "webauthn: { rpId: 'acme.com' }",
      },
    ];
  for (const [source, { hostname, origin }] of pagesOf(examined)) {
    if (hostname !== rpId && !hostname.endsWith(`.${rpId}`))
      found.push({
        id: 'passkey_rp_id',
        title: `webauthn.rpId is ${rpId}, but ${source} is at ${hostname}.`,
        fix: `webauthn: { rpId: '${hostname}', origins: ['${origin}'] }`,
      });
    else if (!origins.includes(origin))
      found.push({
        id: 'passkey_origin',
        title: `webauthn.origins does not contain ${origin}, the origin of ${source}.`,
        fix: `webauthn: { origins: [${[...origins, origin].map((each) => `'${each}'`).join(', ')}] }`,
      });
  }
  return found;
}

/** The pages that are known: of the request, or else those of mails. Once for each origin. */
function pagesOf(examined: Examined): [source: string, url: URL][] {
  const ofRequest = originOfRequest(examined);
  if (ofRequest) return [['the request', ofRequest]];
  // The page of the reset, whose account pages offer passkeys. Callbacks may be at the host of an API.
  const ofMails = pageUrls(examined.config).filter(([option]) => /resetUrl|inviteUrl/.test(option));
  return [...new Map(ofMails.map(([option, url]) => [url.origin, [option, url] as [string, URL]])).values()];
}
