/** What the suites on organisations begin with: a site that mails invites, an organisation, people in it. */
import { outbox, type Outbox } from 'svc-auth/testing';
import type { Account, Site } from '../../support/http-site.js';
import { proProviders } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';

// Over all sites of a database, on which slugs are unique.
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

  async function founded(site: Site, owner?: Account) {
    const founder = owner ?? (await site.signInByCode());
    const answer = await site.post('/orgs', { name: 'Acme', slug: newSlug() }, { cookie: founder.cookie });
    expect(answer.status).toBe(200);
    return { founder, id: answer.json.org.id as string, slug: answer.json.org.slug as string };
  }

  /** Somebody who is in the organisation, and signed in. */
  async function member(site: Site, orgId: string, role: 'member' | 'admin' | 'owner' = 'member') {
    const person = await site.signInByCode();
    await site.service.orgs.addMember(orgId, person.user.id, role);
    return person;
  }

  const inviteToken = (to: string) => new URL(invites.lastLink(to)!).searchParams.get('token')!;

  return { openWithOrgs, founded, member, inviteToken, sent: () => invites.messages };
}

export const put = (site: Site, cookie: string, path: string, body: object) =>
  site.send('PUT', path, body, { cookie });
export const remove = (site: Site, cookie: string, path: string) =>
  site.send('DELETE', path, undefined, { cookie });
