// Every reason of docs/reasons.md is given by a real request. Those of the OAuth server are in tests/oauth-server/reasons.test.ts.
import { reasons } from '../../src/errors/reasons.js';
import type { Site, SiteOptions } from '../support/http-site.js';
import { scenarios } from './every-reason.js';
import { openForReasons } from './reason-scenarios.js';

/** Why a reason is not among the requests: what causes it takes two requests at the same moment, or is of the OAuth server. */
const elsewhere: Readonly<Record<string, string>> = {
  link_expired: 'redirects: tests/http/suites/magic-link.ts',
  impersonation_missing: 'the form that ends an impersonation, without its second cookie',
  consent_ended: 'tests/oauth-server/reasons.test.ts',
  queue_full: 'tests/providers: needs thousands of logins at once',
};

const sites: Site[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});

async function opened(options: SiteOptions): Promise<Site> {
  const site = await openForReasons(options);
  sites.push(site);
  return site;
}

describe('the reason of a refusal', () => {
  it.each(scenarios)('is %s in the header, in the body and in the log', async (reason, options, produce) => {
    const site = await opened(options);
    const { status, headers, json } = await produce(site);
    expect([401, 403, 429]).toContain(status);
    expect(headers['svc-auth-reason']).toBe(reason);
    if (json !== undefined) expect(json.diagnosis).toBe(reason);
    const logged = site.log.filter(({ fields }) => fields['event'] === 'refused');
    expect(logged.at(-1)?.fields['reason']).toBe(reason);
  });

  it('has a request for each reason of the table', () => {
    const known = new Set([...scenarios.map(([name]) => name), ...Object.keys(elsewhere)]);
    const ofRoutes = Object.entries(reasons).filter(([, codes]) => codes.length > 0);
    const refused = ofRoutes.filter(
      ([, codes]) => !(codes as readonly string[]).every((code) => code === 'invalid_request'),
    );
    expect(refused.map(([name]) => name).filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('in production', () => {
  const environment = process.env['NODE_ENV'];
  afterEach(() => {
    process.env['NODE_ENV'] = environment;
  });

  it.each(scenarios)('a response does not contain %s, and the log does', async (reason, options, produce) => {
    process.env['NODE_ENV'] = 'production';
    const site = await opened(options);
    const { status, headers, json } = await produce(site);
    expect([401, 403, 429]).toContain(status);
    expect(headers['svc-auth-reason']).toBeUndefined();
    if (json !== undefined) expect(json).not.toHaveProperty('diagnosis');
    const logged = site.log.filter(({ fields }) => fields['event'] === 'refused');
    expect(logged.at(-1)?.fields['reason']).toBe(reason);
  });
});
