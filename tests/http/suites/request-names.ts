/** What a guard sets on `req.svcAuth` about the user: the names that the application and the user have given, and the roles. */
import type { Express } from 'express';
import { optionalSession, requireApiKey, requireRole, requireSession } from 'svc-auth';
import type { OpenSite } from '../matrix.js';
import type { RequestOptions, Site } from '../../support/http-site.js';
import { proProviders } from '../../support/make-pro-service.js';
import type { TestService } from '../../support/make-service.js';

function pages(app: Express, { service }: TestService): void {
  const guards = {
    me: requireSession(service),
    maybe: optionalSession(service),
    staff: requireRole(service, 'staff'),
    stateless: requireSession(service, { stateless: true }),
    key: requireApiKey(service),
  };
  for (const [name, guard] of Object.entries(guards)) {
    app.get(`/app/${name}`, guard, (req, res) => {
      const { externalId, username, roles } = req.svcAuth ?? {};
      res.json({ externalId, username, roles, userFields: Object.keys(req.user ?? {}).sort() });
    });
  }
}

const userFields = ['createdAt', 'email', 'emailVerified', 'id', 'metadata', 'updatedAt'];
const nothing = { externalId: null, username: null, roles: [], userFields };

// Shared by all sites of a database.
let people = 0;

export function requestNames(open: OpenSite): void {
  const openPages = () =>
    open({
      before: pages,
      pro: true,
      service: {
        session: { bearer: true },
        providers: { ...proProviders, sessions: { canImpersonate: () => true } },
      },
    });

  async function named(site: Site) {
    people += 1;
    const account = await site.signUp();
    const names = {
      externalId: `${process.pid}${Date.now()}${people}`,
      username: `ada${process.pid}x${Date.now()}x${people}`.slice(-32),
      roles: ['billing', 'staff'],
    };
    await site.service.users.update(account.user.id, names);
    return { ...account, names };
  }

  const show = async (site: Site, page: string, options: RequestOptions) => {
    const { status, json } = await site.send('GET', `/app/${page}`, undefined, options);
    expect([page, status]).toEqual([page, 200]);
    return json as Record<string, unknown>;
  };

  describe('the names on req.svcAuth', () => {
    it('are those of the user of the session, whatever guard sets them, and req.user stays the same', async () => {
      const site = await openPages();
      const { cookie, names } = await named(site);
      for (const page of ['me', 'maybe', 'staff'])
        expect(await show(site, page, { cookie })).toEqual({ ...names, userFields });
    });

    it('are null, and the roles empty, for a user who has none', async () => {
      const site = await openPages();
      const { cookie } = await site.signUp();
      for (const page of ['me', 'maybe']) expect(await show(site, page, { cookie })).toEqual(nothing);
    });

    it('are those of the user of a bearer token', async () => {
      const site = await openPages();
      const { email, password, names } = await named(site);
      const asking = { 'svc-session': 'bearer' };
      const { json } = await site.post('/password/login', { email, password }, { headers: asking });
      const headers = { Authorization: `Bearer ${json.bearer.accessToken}` };
      for (const page of ['me', 'maybe'])
        expect(await show(site, page, { headers })).toEqual({ ...names, userFields });
    });

    it('are those of the user whom an administrator acts for', async () => {
      const site = await openPages();
      const [admin, member] = [await named(site), await named(site)];
      const { token } = await site.service.sessionsProvider.impersonate(admin.user.id, member.user.id);
      const headers = { Authorization: `Bearer ${token}` };
      expect(await show(site, 'me', { headers })).toEqual({ ...member.names, userFields });
    });

    it('change with the next request after a change of the user', async () => {
      const site = await openPages();
      const { cookie, user, names } = await named(site);
      expect(await show(site, 'me', { cookie })).toMatchObject(names);
      const changed = { externalId: `${names.externalId}b`, username: null, roles: ['none'] };
      await site.service.users.update(user.id, changed);
      expect(await show(site, 'me', { cookie })).toEqual({ ...changed, userFields });
      await site.service.users.update(user.id, { externalId: null, roles: [] });
      expect(await show(site, 'me', { cookie })).toEqual(nothing);
    });

    it('are empty for a guard that trusts the token alone', async () => {
      const site = await openPages();
      const { cookie } = await named(site);
      expect(await show(site, 'stateless', { cookie })).toEqual({ ...nothing, userFields: [] });
    });

    it('are absent for a request with an API key, which has the id of its owner', async () => {
      const site = await openPages();
      const { user } = await site.signInByCode();
      const { key } = await site.service.apiKeys.create({ userId: user.id, name: 'CI' });
      expect(await show(site, 'key', { headers: { 'X-Api-Key': key } })).toEqual({ userFields: [] });
    });

    it('are neither in the token nor in a response about the session', async () => {
      const site = await openPages();
      const { cookie, names } = await named(site);
      const token = cookie.slice('svc_session='.length);
      const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
      const { text } = await site.get('/session', { cookie });
      for (const name of [names.externalId, names.username]) {
        expect(claims).not.toContain(name);
        expect(text).not.toContain(name);
      }
    });
  });
}
