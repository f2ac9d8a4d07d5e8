/**
 * What the suites on organizations start with: a site that mails invites, an organization and its
 * members.
 */
import { outbox, type Outbox } from 'svc-auth/testing';
import type { Account, Site } from '../../support/http-site.js';
import { proProviders } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';

// Shared by all sites of a database, in which slugs are unique.
let names = 0;
export const newSlug = () => `acme-${Date.now().toString(36)}-${(names += 1)}`;

export function orgScenes(open: OpenSite) {
  let invites: Outbox;

  const openWithOrgs = (options: { mails?: boolean } = {}) => {
    invites = outbox();
    const inviting = { sender: invites, inviteUrl: 'https://app.test/invite' };
    return open({
      pro: true,
      trustProxy: true,
      service: {
        providers: {
          ...proProviders,
          sessions: { canImpersonate: () => true },
          orgs: options.mails === false ? true : inviting,
        },
      },
    });
  };

  async function newOrg(site: Site, owner?: Account) {
    const founder = owner ?? (await site.signInByCode());
    const response = await site.post('/orgs', { name: 'Acme', slug: newSlug() }, { cookie: founder.cookie });
    expect(response.status).toBe(200);
    return { founder, id: response.json.org.id as string, slug: response.json.org.slug as string };
  }

  /** Creates a signed-in member of the organization. */
  async function member(site: Site, orgId: string, role: 'member' | 'admin' | 'owner' = 'member') {
    const account = await site.signInByCode();
    await site.service.orgs.addMember(orgId, account.user.id, role);
    return account;
  }

  const inviteToken = (to: string) => new URL(invites.lastLink(to)!).searchParams.get('token')!;

  return { openWithOrgs, newOrg, member, inviteToken, sent: () => invites.messages };
}

export const put = (site: Site, cookie: string, path: string, body: object) =>
  site.send('PUT', path, body, { cookie });
export const remove = (site: Site, cookie: string, path: string) =>
  site.send('DELETE', path, undefined, { cookie });
