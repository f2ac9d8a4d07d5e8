/**
 * /orgs/:id/invites and /orgs/:id/api-keys over HTTP. tests/pro/org-actors.test.ts has the rules
 * for roles.
 */
import type { Account } from '../../support/http-site.js';
import { day, minute, unknownId } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectTooMany, isoDate, uuidV7 } from './expect.js';
import { orgScenes, remove } from './org-scenes.js';

export function orgInvites(open: OpenSite): void {
  const { openWithOrgs, newOrg, member, inviteToken } = orgScenes(open);

  describe('invites to organizations', () => {
    it('POST /orgs/:id/invites mails a token that the response does not contain, and the owner of the mailbox accepts it once', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await newOrg(site);
      const email = site.uniqueEmail();
      const response = await site.post(
        `/orgs/${id}/invites`,
        { email, role: 'admin' },
        { cookie: founder.cookie },
      );
      expect(response.json).toEqual({
        invite: {
          id: expect.stringMatching(uuidV7) as string,
          orgId: id,
          email,
          role: 'admin',
          invitedByUserId: founder.user.id,
          createdAt: expect.stringMatching(isoDate) as string,
          expiresAt: new Date(site.clock.now() + 7 * day).toISOString(),
          acceptedAt: null,
        },
      });
      const token = inviteToken(email);
      expect(response.text).not.toContain(token);
      const stranger = await site.signInByCode();
      const accept = (cookie: string) => site.post('/orgs/invites/accept', { token }, { cookie });
      expectError(await accept(stranger.cookie), 403, 'not_authorized');
      const invited = await site.signInByCode(email);
      const responses = await Promise.all([
        accept(invited.cookie),
        accept(invited.cookie),
        accept(invited.cookie),
      ]);
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
      const accepted = responses.find(({ status }) => status === 200)!;
      expect(accepted.json.membership).toMatchObject({ orgId: id, userId: invited.user.id, role: 'admin' });
      expectError(await accept(invited.cookie), 401, 'token_invalid');
    });

    it('POST /orgs/:id/invites invites a member by default; members cannot invite, and admins cannot invite owners', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await newOrg(site);
      const [admin, plain] = [await member(site, id, 'admin'), await member(site, id)];
      const invite = (cookie: string, body: object) => site.post(`/orgs/${id}/invites`, body, { cookie });
      expect((await invite(admin.cookie, { email: site.uniqueEmail() })).json.invite.role).toBe('member');
      expectError(await invite(plain.cookie, { email: site.uniqueEmail() }), 403, 'not_authorized');
      expectError(
        await invite(admin.cookie, { email: site.uniqueEmail(), role: 'owner' }),
        403,
        'not_authorized',
      );
      expectError(
        await invite(founder.cookie, { email: site.uniqueEmail(), role: 'king' }),
        400,
        'org_error',
      );
      expectError(await invite(founder.cookie, { email: 'nobody' }), 400, 'invalid_request');
    });

    it('POST /orgs/invites/accept returns 401 for an invalid and for an expired token', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await newOrg(site);
      const invited = await site.signInByCode();
      await site.post(`/orgs/${id}/invites`, { email: invited.email }, { cookie: founder.cookie });
      const token = inviteToken(invited.email);
      const accept = (presentedToken: string, cookie = invited.cookie) =>
        site.post('/orgs/invites/accept', { token: presentedToken }, { cookie });
      for (const invalidToken of ['', 'x', `${token}x`])
        expectError(await accept(invalidToken), 401, 'token_invalid');
      site.clock.advance(7 * day - 1);
      // Without a send, which would count at a time that later sites have not reached.
      const issued = await site.service.sessionsProvider.create({ userId: invited.user.id });
      site.clock.advance(1);
      expectError(await accept(token, `svc_session=${issued.token}`), 401, 'token_invalid');
    });

    it('POST /orgs/:id/invites returns 501 if no sender is configured', async () => {
      const site = await openWithOrgs({ mails: false });
      const { id, founder } = await newOrg(site);
      const response = await site.post(
        `/orgs/${id}/invites`,
        { email: site.uniqueEmail() },
        { cookie: founder.cookie },
      );
      expectError(response, 501, 'provider_not_configured');
    });

    it('POST /orgs/:id/invites sends at most a hundred invites per client in 15 minutes', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await newOrg(site);
      const headers = { 'X-Forwarded-For': '192.0.2.77' };
      const invite = () =>
        site.post(`/orgs/${id}/invites`, { email: site.uniqueEmail() }, { cookie: founder.cookie, headers });
      for (let i = 0; i < 100; i += 1) expect((await invite()).status).toBe(200);
      expectTooMany(await invite(), 15 * minute);
    });

    it('POST /orgs/:id/invites sends at most a hundred invites per inviter in 15 minutes, from any client', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await newOrg(site);
      const invite = (client: number) => {
        const headers = { 'X-Forwarded-For': `192.0.2.${client}` };
        return site.post(
          `/orgs/${id}/invites`,
          { email: site.uniqueEmail() },
          { cookie: founder.cookie, headers },
        );
      };
      for (let i = 0; i < 100; i += 1) expect((await invite(i)).status).toBe(200);
      expectTooMany(await invite(100), 15 * minute);
    });

    it('GET /orgs/:id/invites returns pending invites to admins, oldest first and without tokens, and refuses members', async () => {
      const site = await openWithOrgs();
      const { id, slug, founder } = await newOrg(site);
      const [admin, plain] = [await member(site, id, 'admin'), await member(site, id)];
      const send = async (role: string) => {
        site.clock.advance(1);
        const body = { email: site.uniqueEmail(), role };
        return (await site.post(`/orgs/${id}/invites`, body, { cookie: founder.cookie })).json.invite;
      };
      const [first, second] = [await send('owner'), await send('member')];
      for (const { cookie } of [founder, admin]) {
        for (const org of [id, slug]) {
          const response = await site.get(`/orgs/${org}/invites`, { cookie });
          expect(response.json).toEqual({ invites: [first, second], nextCursor: null });
          expect(response.text).not.toContain(inviteToken(first.email));
        }
      }
      expectError(await site.get(`/orgs/${id}/invites`, { cookie: plain.cookie }), 403, 'not_authorized');
      const invited = await site.signInByCode(second.email);
      const token = inviteToken(second.email);
      await site.post('/orgs/invites/accept', { token }, { cookie: invited.cookie });
      const remaining = await site.get(`/orgs/${id}/invites`, { cookie: founder.cookie });
      expect(remaining.json).toEqual({ invites: [first], nextCursor: null });
    });

    it('DELETE /orgs/:id/invites/:inviteId revokes an invite for users who may send it, and it can no longer be accepted', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await newOrg(site);
      const [admin, plain] = [await member(site, id, 'admin'), await member(site, id)];
      const send = async (email: string, role: string) =>
        (await site.post(`/orgs/${id}/invites`, { email, role }, { cookie: founder.cookie })).json.invite;
      const invited = await site.signInByCode();
      const [toMember, toOwner] = [
        await send(invited.email, 'member'),
        await send(site.uniqueEmail(), 'owner'),
      ];
      const revoke = (actor: Account, inviteId: string, org = id) =>
        remove(site, actor.cookie, `/orgs/${org}/invites/${inviteId}`);
      expectError(await revoke(plain, toMember.id), 403, 'not_authorized');
      expectError(await revoke(plain, unknownId), 403, 'not_authorized');
      expectError(await revoke(admin, toOwner.id), 403, 'not_authorized');
      const elsewhere = await newOrg(site);
      expect((await revoke(elsewhere.founder, toMember.id, elsewhere.id)).json).toEqual({ ok: true });
      const list = async () => (await site.get(`/orgs/${id}/invites`, { cookie: admin.cookie })).json.invites;
      expect(await list()).toHaveLength(2);
      for (const inviteId of [toMember.id, toMember.id, unknownId, 'x', '%00']) {
        expect((await revoke(admin, inviteId)).json).toEqual({ ok: true });
      }
      expect(await list()).toEqual([toOwner]);
      const token = inviteToken(invited.email);
      const accept = () => site.post('/orgs/invites/accept', { token }, { cookie: invited.cookie });
      expectError(await accept(), 401, 'token_invalid');
      site.clock.advance(10 * minute + 1);
      expect(await list()).toEqual([toOwner]);
      expectError(await revoke(founder, toOwner.id), 403, 'reauth_required');
    });
  });

  describe('API keys of organizations', () => {
    it('API keys of an organization are created, listed and revoked only by its admins', async () => {
      const site = await openWithOrgs();
      const { id, slug } = await newOrg(site);
      const [admin, plain] = [await member(site, id, 'admin'), await member(site, id)];
      const response = await site.post(
        `/orgs/${slug}/api-keys`,
        { name: 'CI', scopes: ['read'] },
        { cookie: admin.cookie },
      );
      const { key, record } = response.json;
      expect(record).toMatchObject({ name: 'CI', orgId: id, userId: null, scopes: ['read'] });
      const list = await site.get(`/orgs/${id}/api-keys`, { cookie: admin.cookie });
      expect(list.json.apiKeys).toMatchObject([{ id: record.id }]);
      expect(list.text).not.toContain(key);
      expect((await site.get('/api-keys', { cookie: admin.cookie })).json).toEqual({
        apiKeys: [],
        nextCursor: null,
      });
      expectError(await site.get(`/orgs/${id}/api-keys`, { cookie: plain.cookie }), 403, 'not_authorized');
      const path = `/orgs/${id}/api-keys/${record.id}`;
      expectError(await remove(site, plain.cookie, path), 403, 'not_authorized');
      expectError(
        await site.post(`/orgs/${id}/api-keys`, { name: 'x' }, { cookie: plain.cookie }),
        403,
        'not_authorized',
      );
      expect((await remove(site, admin.cookie, path)).json).toEqual({ ok: true });
      await expect(site.service.apiKeys.verify(key)).rejects.toMatchObject({ code: 'api_key_invalid' });
    });

    it('DELETE /orgs/:id/api-keys/:keyId does not revoke keys of another organization or of users', async () => {
      const site = await openWithOrgs();
      const [mine, theirs] = [await newOrg(site), await newOrg(site)];
      const { key, record } = await site.service.apiKeys.create({ name: 'x', orgId: theirs.id });
      const own = await site.service.apiKeys.create({ name: 'x', userId: mine.founder.user.id });
      for (const { id } of [record, own.record]) {
        const response = await remove(site, mine.founder.cookie, `/orgs/${mine.id}/api-keys/${id}`);
        expect(response.json).toEqual({ ok: true });
      }
      for (const untouchedKey of [key, own.key]) {
        expect(await site.service.apiKeys.verify(untouchedKey)).toMatchObject({ revokedAt: null });
      }
    });

    // C-32
    it('an admin who is removed during a request creates no API key', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await newOrg(site);
      const admin = await member(site, id, 'admin');
      const make = () => site.post(`/orgs/${id}/api-keys`, { name: 'x' }, { cookie: admin.cookie });
      const list = async () =>
        (await site.get(`/orgs/${id}/api-keys`, { cookie: founder.cookie })).json.apiKeys as unknown[];
      const early = Array.from({ length: 10 }, make);
      const removal = remove(site, founder.cookie, `/orgs/${id}/members/${admin.user.id}`).then(list);
      const responses = await Promise.all([...early, ...Array.from({ length: 10 }, make)]);
      const createdCount = responses.filter(({ status }) => status === 200).length;
      for (const response of responses)
        if (response.status !== 200) expectError(response, 403, 'not_authorized');
      expect([(await removal).length, (await list()).length]).toEqual([createdCount, createdCount]);
      expectError(await make(), 403, 'not_authorized');
    });
  });
}
