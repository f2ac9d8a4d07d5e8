/** /orgs/:id/invites and /orgs/:id/api-keys over HTTP. The rules on roles are in tests/pro/org-actors.test.ts. */
import type { Account } from '../../support/http-site.js';
import { day, minute, nobody } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectTooMany, isoDate, uuidV7 } from './expect.js';
import { orgScenes, remove } from './org-scenes.js';

export function orgInvites(open: OpenSite): void {
  const { openWithOrgs, founded, member, inviteToken } = orgScenes(open);

  describe('invites', () => {
    it('an admin has one mailed, never sees its token, and the mailbox’s owner accepts it once', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await founded(site);
      const email = site.address();
      const answer = await site.post(
        `/orgs/${id}/invites`,
        { email, role: 'admin' },
        { cookie: founder.cookie },
      );
      expect(answer.json).toEqual({
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
      expect(answer.text).not.toContain(token);
      const stranger = await site.signInByCode();
      const accept = (cookie: string) => site.post('/orgs/invites/accept', { token }, { cookie });
      expectError(await accept(stranger.cookie), 403, 'not_authorized');
      const invited = await site.signInByCode(email);
      const answers = await Promise.all([
        accept(invited.cookie),
        accept(invited.cookie),
        accept(invited.cookie),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
      const accepted = answers.find(({ status }) => status === 200)!;
      expect(accepted.json.membership).toMatchObject({ orgId: id, userId: invited.user.id, role: 'admin' });
      expectError(await accept(invited.cookie), 401, 'token_invalid');
    });

    it('a member by default; members invite nobody, and admins make no owners', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await founded(site);
      const [admin, plain] = [await member(site, id, 'admin'), await member(site, id)];
      const invite = (cookie: string, body: object) => site.post(`/orgs/${id}/invites`, body, { cookie });
      expect((await invite(admin.cookie, { email: site.address() })).json.invite.role).toBe('member');
      expectError(await invite(plain.cookie, { email: site.address() }), 403, 'not_authorized');
      expectError(
        await invite(admin.cookie, { email: site.address(), role: 'owner' }),
        403,
        'not_authorized',
      );
      expectError(await invite(founder.cookie, { email: site.address(), role: 'king' }), 400, 'org_error');
      expectError(await invite(founder.cookie, { email: 'nobody' }), 400, 'invalid_request');
    });

    it('a token that is bad or late is 401', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await founded(site);
      const invited = await site.signInByCode();
      await site.post(`/orgs/${id}/invites`, { email: invited.email }, { cookie: founder.cookie });
      const token = inviteToken(invited.email);
      const accept = (given: string, cookie = invited.cookie) =>
        site.post('/orgs/invites/accept', { token: given }, { cookie });
      for (const bad of ['', 'x', `${token}x`]) expectError(await accept(bad), 401, 'token_invalid');
      site.clock.advance(7 * day - 1);
      // Without a send, which would count at a time that later sites have not reached.
      const issued = await site.service.sessionsProvider.create({ userId: invited.user.id });
      site.clock.advance(1);
      expectError(await accept(token, `svc_session=${issued.token}`), 401, 'token_invalid');
    });

    it('without a way to mail them there are none: 501', async () => {
      const site = await openWithOrgs({ mails: false });
      const { id, founder } = await founded(site);
      const answer = await site.post(
        `/orgs/${id}/invites`,
        { email: site.address() },
        { cookie: founder.cookie },
      );
      expectError(answer, 501, 'provider_not_configured');
    });

    it('one client mails at most a hundred in 15 minutes, to whomever', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await founded(site);
      const headers = { 'X-Forwarded-For': '192.0.2.77' };
      const invite = () =>
        site.post(`/orgs/${id}/invites`, { email: site.address() }, { cookie: founder.cookie, headers });
      for (let i = 0; i < 100; i += 1) expect((await invite()).status).toBe(200);
      expectTooMany(await invite(), 15 * minute);
    });

    it('an inviter sends a hundred invites in a quarter of an hour, from wherever', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await founded(site);
      const invite = (client: number) => {
        const headers = { 'X-Forwarded-For': `192.0.2.${client}` };
        return site.post(
          `/orgs/${id}/invites`,
          { email: site.address() },
          { cookie: founder.cookie, headers },
        );
      };
      for (let i = 0; i < 100; i += 1) expect((await invite(i)).status).toBe(200);
      expectTooMany(await invite(100), 15 * minute);
    });

    it('admins see those that are pending, oldest first, never a token, and nobody else sees any', async () => {
      const site = await openWithOrgs();
      const { id, slug, founder } = await founded(site);
      const [admin, plain] = [await member(site, id, 'admin'), await member(site, id)];
      const send = async (role: string) => {
        site.clock.advance(1);
        const body = { email: site.address(), role };
        return (await site.post(`/orgs/${id}/invites`, body, { cookie: founder.cookie })).json.invite;
      };
      const [first, second] = [await send('owner'), await send('member')];
      for (const { cookie } of [founder, admin]) {
        for (const org of [id, slug]) {
          const answer = await site.get(`/orgs/${org}/invites`, { cookie });
          expect(answer.json).toEqual({ invites: [first, second], nextCursor: null });
          expect(answer.text).not.toContain(inviteToken(first.email));
        }
      }
      expectError(await site.get(`/orgs/${id}/invites`, { cookie: plain.cookie }), 403, 'not_authorized');
      const invited = await site.signInByCode(second.email);
      const token = inviteToken(second.email);
      await site.post('/orgs/invites/accept', { token }, { cookie: invited.cookie });
      const left = await site.get(`/orgs/${id}/invites`, { cookie: founder.cookie });
      expect(left.json).toEqual({ invites: [first], nextCursor: null });
    });

    it('are withdrawn by who may send them: then nobody accepts them', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await founded(site);
      const [admin, plain] = [await member(site, id, 'admin'), await member(site, id)];
      const send = async (email: string, role: string) =>
        (await site.post(`/orgs/${id}/invites`, { email, role }, { cookie: founder.cookie })).json.invite;
      const invited = await site.signInByCode();
      const [toMember, toOwner] = [await send(invited.email, 'member'), await send(site.address(), 'owner')];
      const withdraw = (who: Account, inviteId: string, org = id) =>
        remove(site, who.cookie, `/orgs/${org}/invites/${inviteId}`);
      expectError(await withdraw(plain, toMember.id), 403, 'not_authorized');
      expectError(await withdraw(plain, nobody), 403, 'not_authorized');
      expectError(await withdraw(admin, toOwner.id), 403, 'not_authorized');
      const elsewhere = await founded(site);
      expect((await withdraw(elsewhere.founder, toMember.id, elsewhere.id)).json).toEqual({ ok: true });
      const list = async () => (await site.get(`/orgs/${id}/invites`, { cookie: admin.cookie })).json.invites;
      expect(await list()).toHaveLength(2);
      for (const inviteId of [toMember.id, toMember.id, nobody, 'x', '%00']) {
        expect((await withdraw(admin, inviteId)).json).toEqual({ ok: true });
      }
      expect(await list()).toEqual([toOwner]);
      const token = inviteToken(invited.email);
      const accept = () => site.post('/orgs/invites/accept', { token }, { cookie: invited.cookie });
      expectError(await accept(), 401, 'token_invalid');
      site.clock.advance(10 * minute + 1);
      expect(await list()).toEqual([toOwner]);
      expectError(await withdraw(founder, toOwner.id), 403, 'reauth_required');
    });
  });

  describe('keys of organisations', () => {
    it('are made, listed and ended by admins, and by nobody else', async () => {
      const site = await openWithOrgs();
      const { id, slug } = await founded(site);
      const [admin, plain] = [await member(site, id, 'admin'), await member(site, id)];
      const answer = await site.post(
        `/orgs/${slug}/api-keys`,
        { name: 'CI', scopes: ['read'] },
        { cookie: admin.cookie },
      );
      const { key, record } = answer.json;
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

    it('are not ended through another organisation, nor are keys of users', async () => {
      const site = await openWithOrgs();
      const [mine, theirs] = [await founded(site), await founded(site)];
      const { key, record } = await site.service.apiKeys.create({ name: 'x', orgId: theirs.id });
      const own = await site.service.apiKeys.create({ name: 'x', userId: mine.founder.user.id });
      for (const { id } of [record, own.record]) {
        const answer = await remove(site, mine.founder.cookie, `/orgs/${mine.id}/api-keys/${id}`);
        expect(answer.json).toEqual({ ok: true });
      }
      for (const each of [key, own.key]) {
        expect(await site.service.apiKeys.verify(each)).toMatchObject({ revokedAt: null });
      }
    });

    it('C-32 are not made by an admin who was removed while the request was under way', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await founded(site);
      const admin = await member(site, id, 'admin');
      const make = () => site.post(`/orgs/${id}/api-keys`, { name: 'x' }, { cookie: admin.cookie });
      const list = async () =>
        (await site.get(`/orgs/${id}/api-keys`, { cookie: founder.cookie })).json.apiKeys as unknown[];
      const early = Array.from({ length: 10 }, make);
      const removal = remove(site, founder.cookie, `/orgs/${id}/members/${admin.user.id}`).then(list);
      const answers = await Promise.all([...early, ...Array.from({ length: 10 }, make)]);
      const made = answers.filter(({ status }) => status === 200).length;
      for (const answer of answers) if (answer.status !== 200) expectError(answer, 403, 'not_authorized');
      expect([(await removal).length, (await list()).length]).toEqual([made, made]);
      expectError(await make(), 403, 'not_authorized');
    });
  });
}
