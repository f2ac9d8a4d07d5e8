/** The routes of the admin router: who may call them, what they do, and what they never return. */
import { createAdminRouter, type Authorize } from 'svc-auth';
import { adminRoutes } from '../../../src/http/admin-router.js';
import { documentedRoutes } from '../../support/documented-responses.js';
import { bodiesOf, everyRoute, type Route } from '../../support/every-route.js';
import type { HttpResponse } from '../../support/http-client.js';
import { validPassword, type RequestOptions, type Site } from '../../support/http-site.js';
import { minute, unknownId } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';
import { adminScenes } from './admin-scenes.js';
import { expectError } from './expect.js';

const routes = everyRoute.filter(({ path }) => path.startsWith('/admin/'));
const writes = routes.filter(({ method }) => method !== 'GET');

const foreignPages: Record<string, string>[] = [
  { 'Sec-Fetch-Site': 'cross-site' },
  { Origin: 'https://evil.test' },
];

/** Calls a route of the admin router for a user. */
function call(site: Site, route: Route, target: string, options: RequestOptions): Promise<HttpResponse> {
  const body = route.schema && bodiesOf(route.schema)[0];
  return site.send(route.method, route.path.replace(unknownId, target), body, options);
}

async function outcomesOf(site: Site, target: string, options: RequestOptions, some = routes) {
  const outcomes = new Set<string>();
  for (const route of some) {
    const { status, json } = await call(site, route, target, options);
    outcomes.add(`${status} ${json.error ?? ''}`.trim());
  }
  return [...outcomes];
}

export function admin(open: OpenSite): void {
  const { openAdmin, signUpAdmin, scene } = adminScenes(open);

  describe('access to the admin routes', () => {
    it('every admin route has an action, and every change requires a recent sign-in', () => {
      expect(adminRoutes.map(({ method, endpoint }) => [method, endpoint.action, endpoint.access])).toEqual([
        ['GET', 'users.list', 'no-impersonation'],
        ['POST', 'users.create', 'recent'],
        ['GET', 'users.count', 'no-impersonation'],
        ['POST', 'users.invite', 'recent'],
        ['POST', 'lockdown', 'recent'],
        ['GET', 'users.get', 'no-impersonation'],
        ['PATCH', 'users.update', 'recent'],
        ['POST', 'users.setPassword', 'recent'],
        ['POST', 'users.signOut', 'recent'],
        ['POST', 'users.block', 'recent'],
        ['POST', 'users.unblock', 'recent'],
        ['GET', 'users.sessions.list', 'no-impersonation'],
        ['DELETE', 'users.sessions.revoke', 'recent'],
        ['GET', 'users.identities.list', 'no-impersonation'],
        ['DELETE', 'users.identities.remove', 'recent'],
        ['GET', 'statistics.read', 'no-impersonation'],
        ['GET', 'users.tokens.list', 'no-impersonation'],
        ['DELETE', 'users.tokens.revoke', 'recent'],
        ['GET', 'users.passkeys.list', 'no-impersonation'],
        ['DELETE', 'users.passkeys.remove', 'recent'],
        ['GET', 'users.totp.state', 'no-impersonation'],
        ['DELETE', 'users.totp.disable', 'recent'],
        ['GET', 'users.apiKeys.list', 'no-impersonation'],
        ['DELETE', 'users.apiKeys.remove', 'recent'],
        ['GET', 'users.orgs.list', 'no-impersonation'],
        ['DELETE', 'users.orgs.removeMember', 'recent'],
        ['DELETE', 'users.remove', 'recent'],
        ['GET', 'audit.list', 'no-impersonation'],
      ]);
      expect(routes).toHaveLength(adminRoutes.length);
    });

    it('createAdminRouter throws config_invalid without authorize, and for wrong options', async () => {
      const { service } = await openAdmin();
      for (const options of [undefined, null, {}, { authorize: true }, { freshMs: 1000 }]) {
        expect(() => createAdminRouter(service, options as never)).toThrow(
          expect.objectContaining({ code: 'config_invalid' }),
        );
      }
      for (const others of [{ freshMs: 0 }, { unknown: true }]) {
        expect(() => createAdminRouter(service, { authorize: () => true, ...others })).toThrow(
          expect.objectContaining({ code: 'config_invalid' }),
        );
      }
    });

    it('authorize gets the user with the roles, the action and the target of every route', async () => {
      const asked: unknown[][] = [];
      const site = await openAdmin((...question) => asked.push(question) < 0);
      const me = await signUpAdmin(site);
      const { id } = (await site.signUp()).user;
      expect(await outcomesOf(site, id as string, { cookie: me.cookie })).toEqual(['403 not_authorized']);
      const actions = documentedRoutes.filter(({ action }) => action);
      expect(asked.map(([, ...rest]) => rest)).toEqual(
        actions.map(({ action, path }) => [action, path.includes(':id') ? id : null]),
      );
      for (const [user] of asked) {
        expect(Object.keys(user as object).sort()).toEqual(
          ['createdAt', 'email', 'emailVerified', 'id', 'metadata', 'roles', 'updatedAt'].sort(),
        );
        expect(user).toMatchObject({ id: me.user.id, roles: ['admin'] });
      }
    });

    it.each<[string, () => unknown]>([
      ['false', () => false],
      ['a value that is not true', () => 'yes'],
      ['nothing', () => undefined],
      ['a promise of a value that is not true', async () => 1],
    ])('every admin route returns 403 not_authorized if authorize returns %s', async (_, answer) => {
      const site = await openAdmin(answer as Authorize);
      const { cookie, user } = await site.signUp();
      expect(await outcomesOf(site, user.id as string, { cookie })).toEqual(['403 not_authorized']);
      expect((await site.get('/session', { cookie })).status).toBe(200);
    });

    it('every admin route returns 403 not_authorized and logs the error if authorize throws or rejects', async () => {
      const fault = new Error('the directory of administrators is down');
      for (const failing of [() => Promise.reject(fault), () => throwing(fault)]) {
        const site = await openAdmin(failing);
        const { cookie, user } = await site.signUp();
        expect(await outcomesOf(site, user.id as string, { cookie })).toEqual(['403 not_authorized']);
        const logged = site.log.filter(({ level }) => level === 'error');
        expect(logged).toHaveLength(routes.length);
        expect(JSON.stringify(logged[0])).toContain(fault.message);
      }
    });

    it('an admin route returns 403 not_authorized if authorize returns no answer within five seconds', async () => {
      let noteQuestion = () => {};
      const question = new Promise<void>((resolve) => (noteQuestion = resolve));
      const site = await openAdmin(() => {
        noteQuestion();
        return new Promise<never>(() => undefined);
      });
      const { cookie } = await site.signUp();
      // Only the timers of timeouts: sockets need the others.
      jest.useFakeTimers({
        doNotFake: ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask', 'setInterval', 'Date'],
      });
      try {
        // The other client has a timeout itself.
        const response = site.send('GET', '/admin/users', undefined, { cookie });
        await question;
        await jest.advanceTimersByTimeAsync(5_000);
        expectError(await response, 403, 'not_authorized');
      } finally {
        jest.useRealTimers();
      }
    });

    it('every admin route returns 401 token_invalid without a session, and does not ask authorize', async () => {
      const site = await openAdmin(() => throwing(new Error('must not be asked')));
      for (const options of [{}, { cookie: 'svc_session=x' }]) {
        expect(await outcomesOf(site, unknownId, options)).toEqual(['401 token_invalid']);
      }
      expect(site.log.filter(({ level }) => level === 'error')).toEqual([]);
    });

    it('an administrator who loses the role is refused at the next request', async () => {
      const { site, me, options, path } = await scene();
      expect((await site.get(path, options)).status).toBe(200);
      await site.service.users.update(me.user.id as string, { roles: [] });
      expectError(await site.get(path, options), 403, 'not_authorized');
      expectError(await site.post(`${path}/block`, {}, options), 403, 'not_authorized');
    });

    it('an administrator who is blocked is refused at the next request', async () => {
      const { site, me, target, options } = await scene();
      await site.service.users.block(me.user.id as string);
      expect(await outcomesOf(site, target.user.id as string, options)).toEqual(['401 token_invalid']);
    });

    it('every admin route returns 403 not_authorized to an administrator who impersonates another one', async () => {
      const { site, me, target } = await scene();
      const { sessionsProvider } = site.service;
      const { token } = await sessionsProvider.impersonate(target.user.id as string, me.user.id as string);
      const options = { cookie: `svc_session=${token}` };
      expect(await outcomesOf(site, target.user.id as string, options)).toEqual(['403 not_authorized']);
    });

    it('every change returns 403 not_authorized to a page of another site, and has no effect', async () => {
      const { site, target, options } = await scene();
      const before = await site.service.users.get(target.user.id as string);
      for (const headers of foreignPages) {
        const crossSite = { ...options, headers };
        expect(await outcomesOf(site, before.id, crossSite, writes)).toEqual(['403 not_authorized']);
      }
      expect(await site.service.users.get(before.id)).toEqual(before);
      expect((await site.get('/session', { cookie: target.cookie })).status).toBe(200);
    });

    it('every change returns 403 reauth_required ten minutes after the sign-in, and reads work', async () => {
      const { site, target, options, path } = await scene();
      site.clock.advance(10 * minute + 1);
      expect(await outcomesOf(site, target.user.id as string, options, writes)).toEqual([
        '403 reauth_required',
      ]);
      expect((await site.get(path, options)).status).toBe(200);
    });

    it('a caller whom authorize refuses gets not_authorized for a malformed body, a stale sign-in and an unknown user', async () => {
      const site = await openAdmin();
      const { cookie } = await site.signUp();
      expectError(await site.post(`/admin/users/${unknownId}/block`, 'x', { cookie }), 403, 'not_authorized');
      site.clock.advance(10 * minute + 1);
      expect(await outcomesOf(site, unknownId, { cookie })).toEqual(['403 not_authorized']);
    });
  });

  describe('administration over HTTP', () => {
    it('lists and counts users by search, role, state and time, in pages', async () => {
      const { site, me, target, options } = await scene();
      const role = `role-${site.port}`;
      const createdAfter = new Date(site.clock.now()).toISOString();
      const people = await Promise.all(
        [1, 2, 3].map(() => site.service.users.create({ email: site.uniqueEmail(), roles: [role] })),
      );
      await site.service.users.block(people[0]!.id);
      const ids = async (query: string): Promise<string[]> => {
        const { json } = await site.get(`/admin/users?${query}`, options);
        return (json.users as { id: string }[]).map(({ id }) => id).sort();
      };
      const all = people.map(({ id }) => id).sort();
      expect(await ids(`role=${role}`)).toEqual(all);
      expect(await ids(`role=${role}&blocked=true`)).toEqual([people[0]!.id]);
      expect(await ids(`role=${role}&blocked=false&guest=false&verified=false`)).toHaveLength(2);
      expect(await ids(`role=${role}&verified=true`)).toEqual([]);
      expect(await ids(`role=${role}&createdAfter=${createdAfter}`)).toEqual(all);
      expect(await ids(`role=${role}&createdBefore=${createdAfter}`)).toEqual([]);
      expect(await ids(`search=${encodeURIComponent(target.email)}`)).toEqual([target.user.id]);
      expect(await ids(`search=${me.user.id}`)).toEqual([me.user.id]);
      const first = (await site.get(`/admin/users?role=${role}&sort=oldest&limit=2`, options)).json;
      const next = `cursor=${encodeURIComponent(first.nextCursor as string)}`;
      const last = (await site.get(`/admin/users?role=${role}&sort=oldest&limit=2&${next}`, options)).json;
      expect([first.users.length, last.users.length, last.nextCursor]).toEqual([2, 1, null]);
      const paged = [...first.users, ...last.users] as { id: string }[];
      expect(paged.map(({ id }) => id).sort()).toEqual(all);
      expect((await site.get(`/admin/users/count?role=${role}`, options)).json).toEqual({ count: 3 });
    });

    it.each([
      'limit=0',
      'limit=201',
      'cursor=x',
      'blocked=1',
      'verified=yes',
      'guest=',
      'sort=name',
      'createdAfter=2026-01-01',
      'createdBefore=yesterday',
      'role=No+Role',
      'role=a&role=b',
    ])('a list with ?%s is refused with 400 invalid_request', async (query) => {
      const { site, options } = await scene();
      expectError(await site.get(`/admin/users?${query}`, options), 400, 'invalid_request');
    });

    it('creates, invites, changes, signs out, blocks and unblocks users, with the administrator as the actor', async () => {
      const { site, me, options, target, path } = await scene();
      const actors: unknown[] = [];
      site.service.on('*', (_, payload) => {
        if ('actor' in payload) actors.push(payload.actor);
      });
      const email = site.uniqueEmail();
      const created = await site.post('/admin/users', { email, password: validPassword }, options);
      expect(created.json.user).toMatchObject({ email, hasPassword: true, roles: [], blocked: null });
      const invited = await site.post('/admin/users/invite', { email: site.uniqueEmail() }, options);
      expect(invited.json).toMatchObject({ created: true, expiresAt: expect.any(String) });

      const { updatedAt } = (await site.get(path, options)).json.user;
      const changes = { roles: ['support'], metadata: { plan: 'pro' }, ifUpdatedAt: updatedAt };
      const patch = () => site.send('PATCH', path, changes, options);
      site.clock.advance(1000);
      expect((await patch()).json.user).toMatchObject({ roles: ['support'], metadata: { plan: 'pro' } });
      expect((await patch()).json).toMatchObject({ error: 'invalid_request', reason: 'outdated' });

      const isIn = async (cookie: string) => (await site.get('/session', { cookie })).status === 200;
      const login = () => site.post('/password/login', { email: target.email, password: 'battery staple' });
      expect((await site.post(`${path}/sign-out`, undefined, options)).json).toEqual({ ok: true });
      expect(await isIn(target.cookie)).toBe(false);
      const set = await site.post(`${path}/password`, { password: 'battery staple' }, options);
      expect([set.status, (await login()).status]).toEqual([200, 200]);
      const until = new Date(site.clock.now() + minute).toISOString();
      const blocked = await site.post(`${path}/block`, { reason: 'Spam', until }, options);
      expect(blocked.json.user.blocked).toMatchObject({ reason: 'Spam', until });
      expectError(await login(), 403, 'user_blocked');
      expect((await site.post(`${path}/unblock`, undefined, options)).json.user.blocked).toBeNull();
      expect((await login()).status).toBe(200);
      await site.settle();
      expect(actors.length).toBeGreaterThanOrEqual(7);
      expect(new Set(actors.map((actor) => JSON.stringify(actor)))).toEqual(
        new Set([JSON.stringify({ type: 'user', id: me.user.id })]),
      );
    });

    it('returns 404 user_not_found for an unknown user, and treats malformed ids like unknown ids', async () => {
      const { site, target, options } = await scene();
      const { id } = target.user as { id: string };
      for (const other of [unknownId, id.toUpperCase(), `{${id}}`, 'x', "'%20or%201=1", '%00', '__proto__']) {
        for (const [method, rest, body] of [
          ['GET', '', undefined],
          ['PATCH', '', { roles: [] }],
          ['POST', '/password', { password: validPassword }],
          ['POST', '/sign-out', undefined],
          ['POST', '/block', {}],
          ['POST', '/unblock', undefined],
        ] as const) {
          const { status, json } = await site.send(method, `/admin/users/${other}${rest}`, body, options);
          expect([other, method, rest, status, json.error]).toEqual([
            other,
            method,
            rest,
            404,
            'user_not_found',
          ]);
        }
      }
      expect((await site.service.users.get(id)).blocked).toBeNull();
    });

    it('returns exactly the fields of UserRecord, without the password hash or the epoch', async () => {
      const { site, target, options, path } = await scene();
      const search = encodeURIComponent(target.email);
      const one = await site.get(path, options);
      const list = await site.get(`/admin/users?search=${search}`, options);
      const record = await site.service.users.get(target.user.id as string);
      expect(one.json).toEqual({ user: JSON.parse(JSON.stringify(record)) });
      expect(list.json).toEqual({ users: [one.json.user], nextCursor: null });
      const stored = await site.adapter.users.findById(target.user.id as string);
      for (const { text } of [one, list]) {
        expect(text).not.toContain(stored!.passwordHash);
        expect(text).not.toMatch(/epoch|hash|secret/i);
      }
    });
  });
}

function throwing(error: Error): never {
  throw error;
}
