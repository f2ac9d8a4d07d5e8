/** A process with an OAuth server that is killed. tests/oauth-server/killed-server.ts starts one after the other. */
import { loginAs, testClock } from '../../testing/index.js';
import { openOAuthSite } from './oauth-site.js';
import { openStorage } from './open-storage.js';

export interface OAuthProcessOrder {
  url: string;
  /** Who is signed in at the start. */
  emails: string[];
  /** How much later than in the first process it is. */
  elapsedMs: number;
  /** The issuer and the resource of the first process, which all others are, too. */
  first?: { issuer: string; resource: string };
}

export interface OAuthProcessReport {
  issuer: string;
  /** Where this process listens. */
  origin: string;
  resource: string;
  cookies: string[];
}

async function serve({ url, emails, elapsedMs, first }: OAuthProcessOrder): Promise<OAuthProcessReport> {
  const scopes = { 'notes:read': 'Read your notes' };
  const same = first && { issuer: first.issuer, resources: { [first.resource]: { scopes } } };
  const clock = testClock();
  clock.advance(elapsedMs);
  const site = await openOAuthSite({ registration: true, ...same }, openStorage(url), { clock });
  const cookies: string[] = [];
  for (const email of emails)
    cookies.push((await loginAs(site.app, email, { service: site.test.service })).cookie);
  const { issuer, resource } = first ?? site;
  return { issuer, origin: site.issuer, resource, cookies };
}

process.on(
  'message',
  (order: OAuthProcessOrder) => void serve(order).then((report) => process.send?.(report)),
);
process.on('disconnect', () => process.exit());
process.send?.('ready');
