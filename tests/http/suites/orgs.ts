/** /orgs: organisations, members, invites and keys over HTTP. The rules on roles are in tests/pro/orgs.test.ts. */
import { outbox, type Outbox } from 'svc-auth/testing';
import type { Account, Site } from '../../support/http-site.js';
import { day, minute, nobody, proProviders } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectTooMany, isoDate, uuidV7 } from './expect.js';

// Over all sites of a database, on which slugs are unique.
let names = 0;
const newSlug = () => `acme-${Date.now().toString(36)}-${(names += 1)}`;

export function orgs(open: OpenSite): void {
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
  const put = (site: Site, cookie: string, path: string, body: object) =>
    site.send('PUT', path, body, { cookie });
  const remove = (site: Site, cookie: string, path: string) =>
    site.send('DELETE', path, undefined, { cookie });

  describe('organisations', () => {
    it('whoever founds one owns it, and finds it by id and by slug', async () => {
      const site = await openWithOrgs();
      const { cookie, user } = await site.signInByCode();
      const slug = newSlug();
      const answer = await site.post('/orgs', { name: ' Acme ', slug, metadata: { a: 1 } }, { cookie });
      expect(answer.json).toEqual({
        org: {
          id: expect.stringMatching(uuidV7) as string,
          name: 'Acme',
          slug,
          metadata: {},
          createdAt: expect.stringMatching(isoDate) as string,
          updatedAt: expect.stringMatching(isoDate) as string,
        },
        membership: {
          orgId: answer.json.org.id,
          userId: user.id,
          role: 'owner',
          createdAt: expect.stringMatching(isoDate) as string,
        },
      });
      for (const name of [answer.json.org.id, slug]) {
        expect((await site.get(`/orgs/${name}`, { cookie })).json).toEqual(answer.json);
      }
      const second = await site.post('/orgs', { name: 'Żółw & Söhne' }, { cookie });
      expect(second.status).toBe(200);
      expect((await site.get('/orgs', { cookie })).json.orgs).toHaveLength(2);
      expect((await site.get('/orgs', { cookie })).json.orgs).toContainEqual(answer.json);
    });

    it('of parallel foundings under one slug one succeeds', async () => {
      const site = await openWithOrgs();
      const { cookie } = await site.signInByCode();
      const slug = newSlug();
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => site.post('/orgs', { name: 'Acme', slug }, { cookie })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
      expectError(
        answers.find(({ status }) => status === 400)!,
        400,
        'org_error',
      );
    });

    it('names and slugs that are none are 400, and a guest founds nothing', async () => {
      const site = await openWithOrgs();
      const { cookie } = await site.signInByCode();
      for (const body of [
        { name: '' },
        { name: 'a\nb' },
        { name: 'x', slug: 'Not A Slug' },
        { name: 'x', slug: nobody },
      ]) {
        expectError(await site.post('/orgs', body, { cookie }), 400, 'invalid_request');
      }
      const guest = (await site.post('/guest')).cookie();
      expectError(await site.post('/orgs', { name: 'x' }, { cookie: guest }), 403, 'not_authorized');
    });

    it('who is no member gets the same answer for an organisation of others as for none, on every route', async () => {
      const site = await openWithOrgs();
      const { id, slug, founder } = await founded(site);
      const { cookie } = await site.signInByCode();
      const { record } = await site.service.apiKeys.create({ name: 'x', orgId: id });
      for (const org of [id, slug, nobody, 'no-such-slug', '%00']) {
        const answers = [
          await site.get(`/orgs/${org}`, { cookie }),
          await remove(site, cookie, `/orgs/${org}`),
          await site.get(`/orgs/${org}/members`, { cookie }),
          await put(site, cookie, `/orgs/${org}/members/${founder.user.id}`, { role: 'member' }),
          await remove(site, cookie, `/orgs/${org}/members/${founder.user.id}`),
          await site.post(`/orgs/${org}/invites`, { email: site.address() }, { cookie }),
          await site.get(`/orgs/${org}/api-keys`, { cookie }),
          await site.post(`/orgs/${org}/api-keys`, { name: 'x' }, { cookie }),
          await remove(site, cookie, `/orgs/${org}/api-keys/${record.id}`),
        ];
        for (const answer of answers) {
          expect([org, answer.status, answer.json.error]).toEqual([org, 403, 'not_authorized']);
        }
      }
      expect(invites.messages).toEqual([]);
      expect((await site.get('/orgs', { cookie })).json).toEqual({ orgs: [] });
    });

    it('members see members; admins and owners see their proven addresses too', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await founded(site);
      const [admin, plain] = [await member(site, id, 'admin'), await member(site, id)];
      const unproven = await site.signUp();
      await site.service.orgs.addMember(id, unproven.user.id, 'member');
      const everybody = [founder, admin, plain, unproven];
      const seenBy = async ({ cookie }: Account) =>
        (await site.get(`/orgs/${id}/members`, { cookie })).json.members;
      const roles = ['owner', 'admin', 'member', 'member'];
      const bare = everybody.map(({ user }, i) => ({
        orgId: id,
        userId: user.id,
        role: roles[i],
        createdAt: expect.stringMatching(isoDate) as string,
      }));
      expect(await seenBy(plain)).toEqual(expect.arrayContaining(bare));
      const addresses = [founder.email, admin.email, plain.email, null];
      const full = bare.map((each, i) => ({ ...each, email: addresses[i] }));
      for (const who of [founder, admin]) expect(await seenBy(who)).toEqual(expect.arrayContaining(full));
    });

    it('roles change by who may, and the last owner stays one', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await founded(site);
      const [admin, plain] = [await member(site, id, 'admin'), await member(site, id)];
      const path = (account: Account) => `/orgs/${id}/members/${account.user.id}`;
      const changed = await put(site, founder.cookie, path(plain), { role: 'admin' });
      expect(changed.json.membership).toMatchObject({ orgId: id, userId: plain.user.id, role: 'admin' });
      expect((await put(site, admin.cookie, path(plain), { role: 'member' })).status).toBe(200);
      for (const [who, whom, role, status, code] of [
        [plain, plain, 'admin', 403, 'not_authorized'],
        [plain, admin, 'member', 403, 'not_authorized'],
        [admin, admin, 'owner', 403, 'not_authorized'],
        [admin, founder, 'member', 403, 'not_authorized'],
        [founder, founder, 'member', 400, 'org_error'],
        [founder, plain, 'king', 400, 'org_error'],
      ] as const) {
        expectError(await put(site, who.cookie, path(whom), { role }), status, code);
      }
    });

    it('a user who is no member looks to admins like nobody at all', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await founded(site);
      const stranger = await site.signInByCode();
      for (const userId of [stranger.user.id, nobody, 'x', '%00']) {
        const path = `/orgs/${id}/members/${userId}`;
        expectError(await put(site, founder.cookie, path, { role: 'admin' }), 400, 'org_error');
        expectError(await remove(site, founder.cookie, path), 400, 'org_error');
      }
    });

    it('everybody may leave but the last owner; admins remove whom they may', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await founded(site);
      const [admin, plain, other] = [
        await member(site, id, 'admin'),
        await member(site, id),
        await member(site, id),
      ];
      const path = (account: Account) => `/orgs/${id}/members/${account.user.id}`;
      expectError(await remove(site, plain.cookie, path(other)), 403, 'not_authorized');
      expectError(await remove(site, admin.cookie, path(founder)), 403, 'not_authorized');
      expectError(await remove(site, founder.cookie, path(founder)), 400, 'org_error');
      expect((await remove(site, admin.cookie, path(other))).json).toEqual({ ok: true });
      // Leaving needs no fresh sign-in.
      site.clock.advance(11 * minute);
      expect((await remove(site, plain.cookie, path(plain))).json).toEqual({ ok: true });
      expectError(await remove(site, plain.cookie, path(plain)), 403, 'not_authorized');
      expect((await site.get('/orgs', { cookie: plain.cookie })).json).toEqual({ orgs: [] });
    });

    it('A-51: others are removed by a fresh session alone, and whoever leaves may do so at any age of theirs', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await founded(site);
      const plain = await member(site, id);
      const path = `/orgs/${id}/members/${plain.user.id}`;
      site.clock.advance(10 * minute + 1);
      expectError(await remove(site, founder.cookie, path), 403, 'reauth_required');
      expect((await remove(site, plain.cookie, path)).json).toEqual({ ok: true });
    });

    it('of two owners who leave at once one stays', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await founded(site);
      const second = await member(site, id, 'owner');
      const leave = ({ cookie, user }: Account) => remove(site, cookie, `/orgs/${id}/members/${user.id}`);
      const answers = await Promise.all([leave(founder), leave(second)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    });

    it('only owners delete one, by id or slug, and it is gone for everybody', async () => {
      const site = await openWithOrgs();
      const { id, slug, founder } = await founded(site);
      const admin = await member(site, id, 'admin');
      expectError(await remove(site, admin.cookie, `/orgs/${id}`), 403, 'not_authorized');
      expect((await remove(site, founder.cookie, `/orgs/${slug}`)).json).toEqual({ ok: true });
      for (const { cookie } of [founder, admin]) {
        expectError(await site.get(`/orgs/${id}`, { cookie }), 403, 'not_authorized');
      }
    });
  });

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
  });

  describe('limits per user', () => {
    it('a user founds twenty organisations a day, and what is refused for its slug counts as one', async () => {
      const site = await openWithOrgs();
      const { cookie } = await site.signInByCode();
      const found = (slug: string) => site.post('/orgs', { name: 'x', slug }, { cookie });
      const slug = `taken-${site.port}`;
      expect((await found(slug)).status).toBe(200);
      for (let i = 0; i < 19; i += 1) expectError(await found(slug), 400, 'org_error');
      expectTooMany(await found(slug), 24 * 60 * minute);
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
      expect((await site.get('/api-keys', { cookie: admin.cookie })).json).toEqual({ apiKeys: [] });
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
  });
}
