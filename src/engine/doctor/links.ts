/** Links of mails, and addresses to which identity providers return. */
import { isLoopback } from '../../core/support/link-targets.js';
import type { Examined, Family, Found } from './finding.js';
import { pageUrls } from './page-urls.js';

export const links: Family = {
  kinds: {
    link_http: {
      severity: 'error',
      why: 'A mailed link contains a token that signs in. Over plain http, everyone on the network reads it.',
    },
    link_localhost: {
      severity: 'error',
      why: 'A mailed link to this computer opens nothing on the computer of its reader.',
    },
  },
  checks: { 'the links of mails': checkLinks },
};

function checkLinks({ config, isProduction }: Examined): Found[] {
  return pageUrls(config).flatMap(([option, url]) => {
    const isLocal = isLoopback(url.hostname);
    const secure = new URL(url);
    secure.protocol = 'https:';
    if (isLocal && isProduction)
      return [
        {
          id: 'link_localhost',
          title: `${option} leads to ${url.host}, in production.`,
          fix: `${option}: 'https://your-domain${url.pathname}'`,
        },
      ];
    if (isLocal || url.protocol === 'https:') return [];
    return [{ id: 'link_http', title: `${option} uses plain http.`, fix: `${option}: '${secure.href}'` }];
  });
}
