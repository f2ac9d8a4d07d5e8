/**
 * A change of an organization or a key, with a sign-out everywhere between the check of the session
 * and the change.
 */
import { storageHook } from '../../support/pause-points.js';
import type { HttpResponse } from '../../support/http-client.js';
import type { Account, Site } from '../../support/http-site.js';
import { proProviders } from '../../support/make-pro-service.js';
import { gate } from '../../support/password-accounts.js';
import type { OpenSite } from '../matrix.js';
import { expectError } from './expect.js';
import { newSlug, put, remove } from './org-scenes.js';

interface Scene {
  site: Site;
  owner: Account;
  orgId: string;
  memberId: string;
}

/** By route: the storage method that makes the change, and a request that would succeed. */
const changes: Record<string, { verb: string; change: (scene: Scene) => Promise<HttpResponse> }> = {
  'PUT /orgs/:id/members/:userId': {
    verb: 'orgs.changeMember',
    change: ({ site, owner, orgId, memberId }) =>
      put(site, owner.cookie, `/orgs/${orgId}/members/${memberId}`, { role: 'admin' }),
  },
  'DELETE /orgs/:id/members/:userId': {
    verb: 'orgs.changeMember',
    change: ({ site, owner, orgId, memberId }) =>
      remove(site, owner.cookie, `/orgs/${orgId}/members/${memberId}`),
  },
  'DELETE /orgs/:id/invites/:inviteId': {
    verb: 'orgs.revokeInvite',
    async change({ site, owner, orgId }) {
      const [invite] = await site.service.orgs.listInvites(orgId);
      return remove(site, owner.cookie, `/orgs/${orgId}/invites/${invite!.id}`);
    },
  },
  'DELETE /orgs/:id': {
    verb: 'orgs.delete',
    change: ({ site, owner, orgId }) => remove(site, owner.cookie, `/orgs/${orgId}`),
  },
  'DELETE /orgs/:id/api-keys/:keyId': {
    verb: 'apiKeys.revoke',
    async change({ site, owner, orgId }) {
      const [key] = await site.service.apiKeys.list({ orgId });
      return remove(site, owner.cookie, `/orgs/${orgId}/api-keys/${key!.id}`);
    },
  },
  'DELETE /api-keys/:id': {
    verb: 'apiKeys.revoke',
    async change({ site, owner }) {
      const [key] = await site.service.apiKeys.list({ userId: owner.user.id });
      return remove(site, owner.cookie, `/api-keys/${key!.id}`);
    },
  },
};

export function orgOvertaken(open: OpenSite): void {
  describe('a change of an organization that a sign-out everywhere overtakes', () => {
    it.each(Object.entries(changes))(
      '%s returns 401 token_invalid and changes nothing if the user signs out everywhere in the meantime',
      async (_route, { verb, change }) => {
        const once = storageHook('before', verb);
        const site = await open({
          pro: true,
          wrapAdapter: once.wrapAdapter,
          service: { providers: proProviders },
        });
        const { orgs, apiKeys, sessionsProvider } = site.service;
        const [owner, member] = [await site.signInByCode(), await site.signInByCode()];
        const { org } = await orgs.create({ name: 'Acme', slug: newSlug(), ownerUserId: owner.user.id });
        await orgs.addMember(org.id, member.user.id, 'member');
        await orgs.invite({ orgId: org.id, email: site.uniqueEmail() });
        await apiKeys.create({ orgId: org.id, name: 'CI' });
        await apiKeys.create({ userId: owner.user.id, name: 'CI' });
        const state = async () => [
          await orgs.listMembers(org.id),
          await orgs.listInvites(org.id),
          await apiKeys.list({ orgId: org.id }),
          await apiKeys.list({ userId: owner.user.id }),
        ];
        const before = await state();
        once.run = () => sessionsProvider.revokeAll(owner.user.id);
        const response = await change({ site, owner, orgId: org.id, memberId: member.user.id });
        expectError(response, 401, 'token_invalid');
        expect(await state()).toEqual(before);
      },
    );

    it.each(['DELETE /devices/:id', 'POST /devices/revoke-others'])(
      'POST /orgs/:id/invites returns 401 token_invalid and stores nothing if %s ends its session while the mail is sent',
      async (route) => {
        const [sendStarted, sendReleased] = [gate(), gate()];
        const send = () => {
          sendStarted.open();
          return sendReleased.opened;
        };
        const inviting = { sender: { send }, inviteUrl: 'https://app.test/invite' };
        const site = await open({ pro: true, service: { providers: { ...proProviders, orgs: inviting } } });
        const { cookie, user } = await site.signInByCode();
        const { orgs, sessionsProvider } = site.service;
        const { org } = await orgs.create({ name: 'Acme', slug: newSlug(), ownerUserId: user.id });
        const other = `svc_session=${(await sessionsProvider.create({ userId: user.id })).token}`;
        const [ownDevice] = (
          await sessionsProvider.listDevices(user.id, cookie.slice('svc_session='.length))
        ).filter(({ current }) => current);
        const invite = site.post(`/orgs/${org.id}/invites`, { email: site.uniqueEmail() }, { cookie });
        await sendStarted.opened;
        const ended = route.startsWith('POST')
          ? await site.post('/devices/revoke-others', undefined, { cookie: other })
          : await remove(site, other, `/devices/${ownDevice!.id}`);
        expect(ended.status).toBe(200);
        sendReleased.open();
        expectError(await invite, 401, 'token_invalid');
        expect(await orgs.listInvites(org.id)).toEqual([]);
      },
    );
  });
}
