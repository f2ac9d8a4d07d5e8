/** Access to the admin pages: who gets in, from which pages, and the headers that protect them. */
import { createAdminPages, type Authorize } from 'svc-auth/admin';
import { pages } from '../../../src/admin/pages.js';
import { fieldsOf, openAdminPages, pagesPath, type SceneOptions } from '../../support/admin-pages.js';
import type { HttpResponse } from '../../support/http-client.js';
import { license, minute, unknownId } from '../../support/make-pro-service.js';
import { encryptionKey } from '../../support/every-provider.js';
import { enrollTotp } from '../../support/site-actions.js';
import type { OpenSite } from '../matrix.js';

const forms = pages.filter(({ forms }) => forms);

const pathFor = ({ path }: { path: string }, id: string) =>
  path.replace(':id', id).replace(/:(item|client|secret)/g, unknownId);

/** The heading of a page. */
const titleOf = ({ text }: HttpResponse) => /<h1>(?:<bdi>)?(.*?)(?:<\/bdi>)?<\/h1>/.exec(text)?.[1];

export function adminPages(open: OpenSite): void {
  const openPages = (options?: SceneOptions) => openAdminPages(open, options);

  describe('access to the admin pages', () => {
    it('createAdminPages throws config_invalid without a service or authorize, and for wrong options', async () => {
      const { site } = await openPages();
      expect(() => createAdminPages(undefined as never, { authorize: () => true })).toThrow(
        expect.objectContaining({ code: 'config_invalid' }),
      );
      const wrong = [
        undefined,
        {},
        { authorize: true },
        { authorize: () => true, name: ' ' },
        { authorize: () => true, homeUrl: '//evil.test' },
        { authorize: () => true, homeUrl: 'https://evil.test' },
        { authorize: () => true, signInUrl: 'javascript:alert(1)' },
        { authorize: () => true, signInUrl: 42 },
      ];
      for (const options of wrong) {
        expect(() => createAdminPages(site.service, options as never)).toThrow(
          expect.objectContaining({ code: 'config_invalid' }),
        );
      }
      for (const others of [{ freshMs: 0 }, { unknown: true }]) {
        expect(() => createAdminPages(site.service, { authorize: () => true, ...others })).toThrow(
          expect.objectContaining({ code: 'config_invalid' }),
        );
      }
    });

    it('every page and form asks authorize for its action, with the user in the path as the target', async () => {
      const asked: unknown[][] = [];
      const authorize: Authorize = (...question) => asked.push(question) < 0;
      const { get, post, me, target } = await openPages({ pages: { authorize } });
      const id = target.user.id as string;
      for (const page of pages) {
        asked.length = 0;
        const answers = [await get(pathFor(page, id))];
        if (page.forms) answers.push(await post(pathFor(page, id), {}));
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403));
        for (const answer of answers) expect(titleOf(answer)).toBe('No access');
        const question = [page.action, page.path.includes(':id') ? id : null];
        expect(asked.map(([, ...rest]) => rest)).toEqual(answers.map(() => question));
        expect(asked[0]?.[0]).toMatchObject({ id: me.user.id, roles: ['admin'] });
      }
    });

    it.each<[string, () => unknown]>([
      ['returns a value that is not true', () => 'yes'],
      ['throws', () => JSON.parse('{')],
      ['rejects', () => Promise.reject(new Error('the directory is down'))],
    ])('no page is shown if authorize %s', async (_, authorize) => {
      const { get, post, target, site } = await openPages({
        pages: { authorize: authorize as Authorize },
      });
      expect((await get('/users')).status).toBe(403);
      expect((await post(`/users/${target.user.id as string}/block`, {})).status).toBe(403);
      expect((await site.service.users.get(target.user.id as string)).blocked).toBeNull();
    });

    it('no page is shown if authorize does not answer within five seconds', async () => {
      let noteQuestion = () => {};
      const question = new Promise<void>((resolve) => (noteQuestion = resolve));
      const authorize = () => {
        noteQuestion();
        return new Promise<never>(() => undefined);
      };
      const { get } = await openPages({ pages: { authorize } });
      // Only the timers of timeouts: sockets need the others.
      jest.useFakeTimers({
        doNotFake: ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask', 'setInterval', 'Date'],
      });
      try {
        const response = get('/users');
        await question;
        await jest.advanceTimersByTimeAsync(5_000);
        expect((await response).status).toBe(403);
      } finally {
        jest.useRealTimers();
      }
    });

    it('a visitor who is not signed in is redirected to signInUrl, with the page to return to', async () => {
      const signInUrl = (returnTo: string) => `/sign-in?next=${encodeURIComponent(returnTo)}`;
      const { get, post, path } = await openPages({ pages: { signInUrl } });
      const response = await get(`${path}?sessions=x`, {});
      const returnTo = encodeURIComponent(`${pagesPath}${path}?sessions=x`);
      expect([response.status, response.location]).toEqual([303, `/sign-in?next=${returnTo}`]);
      expect((await post(`${path}/block`, {}, {})).status).toBe(401);
      const without = await openPages();
      const page = await without.get('/users', {});
      expect([page.status, titleOf(page)]).toEqual([401, 'Sign in']);
    });

    it('without a link if signInUrl throws, or returns what a browser would take for another site', async () => {
      const fails = () => {
        throw new Error('no page');
      };
      for (const signInUrl of [fails, () => 'javascript:alert(1)', () => '//evil.test', () => 42 as never]) {
        const { get, site, path } = await openPages({ pages: { signInUrl } });
        const page = await get('/users', {});
        expect([page.status, page.location, titleOf(page)]).toEqual([401, undefined, 'Sign in']);
        site.clock.advance(10 * minute + 1);
        const stale = await get(`${path}/block`);
        expect([stale.status, titleOf(stale)]).toEqual([403, 'Confirm it’s you']);
        expect(stale.text).not.toMatch(/javascript:|evil\.test/);
      }
    });

    it('an administrator who loses the role, or is blocked, is out at the next request', async () => {
      const { get, site, me } = await openPages();
      const id = me.user.id as string;
      expect((await get('/users')).status).toBe(200);
      await site.service.users.update(id, { roles: [] });
      expect((await get('/users')).status).toBe(403);
      await site.service.users.update(id, { roles: ['admin'] });
      await site.service.users.block(id);
      expect((await get('/users')).status).toBe(401);
    });

    // A-16
    it('every form asks for the second factor that the sign-in in a trusted browser has skipped', async () => {
      const service = {
        encryptionKey,
        providers: { sessions: true as const, totp: { trustedBrowsers: true as const } },
      };
      const { get, me, target, site } = await openPages({ site: { pro: true, service } });
      await enrollTotp(site, me.cookie);
      // Such a session has one factor, and is as recent as any.
      const { token } = await site.service.sessionsProvider.create({ userId: me.user.id as string });
      for (const page of forms) {
        const response = await get(pathFor(page, target.user.id as string), {
          cookie: `svc_session=${token}`,
        });
        expect([page.path, titleOf(response)]).toEqual([page.path, 'Confirm it’s you']);
      }
    });

    it('every form asks to sign in again ten minutes after the sign-in, and pages without a form are shown', async () => {
      const { get, post, target, site, path } = await openPages({ pages: { signInUrl: '/sign-in' } });
      const { form_token: token = '' } = fieldsOf((await get(`${path}/block`)).text);
      site.clock.advance(10 * minute + 1);
      for (const page of forms) {
        const at = pathFor(page, target.user.id as string);
        for (const response of [await get(at), await post(at, { form_token: token })]) {
          expect([at, response.status, titleOf(response)]).toEqual([at, 403, 'Confirm it’s you']);
          expect(response.text).toContain('href="/sign-in"');
        }
      }
      expect((await site.service.users.get(target.user.id as string)).blocked).toBeNull();
      expect((await get(path)).status).toBe(200);
    });

    it('a form is refused without its token, with the token of another session, and from a page of another site', async () => {
      const { get, post, path, site, me, target } = await openPages();
      const { form_token: token = '' } = fieldsOf((await get(`${path}/block`)).text);
      const other = await site.post('/password/login', { email: me.email, password: me.password });
      const blocked = async () => (await site.service.users.get(target.user.id as string)).blocked !== null;
      const refused: [Record<string, string>, Record<string, string>][] = [
        [{}, {}],
        [{ form_token: '' }, {}],
        [{ form_token: 'x'.repeat(43) }, {}],
        [{ form_token: token }, { Origin: 'https://evil.test' }],
        [{ form_token: token }, { 'Sec-Fetch-Site': 'cross-site' }],
        [{ form_token: token }, { 'Sec-Fetch-Site': 'same-site', Origin: 'https://other.app.test' }],
        [{ form_token: token }, { Origin: 'null' }],
      ];
      for (const [fields, headers] of refused) {
        const response = await post(`${path}/block`, fields, { cookie: me.cookie, headers });
        expect([fields, headers, response.status]).toEqual([fields, headers, 403]);
      }
      const elsewhere = await post(`${path}/block`, { form_token: token }, { cookie: other.cookie() });
      expect([elsewhere.status, titleOf(elsewhere)]).toEqual([403, 'This form has expired']);
      expect(await blocked()).toBe(false);
      const ownPage = { Origin: site.origin, 'Sec-Fetch-Site': 'same-origin' };
      const allowed = await post(
        `${path}/block`,
        { form_token: token },
        { cookie: me.cookie, headers: ownPage },
      );
      expect([allowed.status, await blocked()]).toEqual([303, true]);
    });

    it('a form that is not urlencoded, or larger than 64 KB, changes nothing', async () => {
      const { get, post, path, site, me, target } = await openPages();
      const { form_token = '' } = fieldsOf((await get(`${path}/metadata`)).text);
      const json = { cookie: me.cookie, headers: { 'Content-Type': 'application/json' } };
      const answers = [
        await post(`${path}/metadata`, { form_token }, json),
        await post(`${path}/metadata`, { form_token, metadata: `{"a":"${'x'.repeat(70_000)}"}` }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([400, 400]);
      expect((await site.service.users.get(target.user.id as string)).metadata).toEqual({});
    });

    it('an administrator who impersonates another one sees no page but the one that ends the impersonation', async () => {
      const { get, post, site, me, target, path } = await openPages({
        site: { service: { ...license, providers: { sessions: { canImpersonate: () => true } } } },
      });
      const { token } = await site.service.sessionsProvider.impersonate(
        target.user.id as string,
        me.user.id as string,
      );
      const options = { cookie: `svc_session=${token}` };
      for (const response of [
        await get('/users', options),
        await get(path, options),
        await post(`${path}/block`, {}, options),
      ]) {
        expect([response.status, response.location]).toEqual([303, `${pagesPath}/impersonation`]);
      }
      expect((await site.service.users.get(target.user.id as string)).blocked).toBeNull();
    });
  });

  describe('the responses of the admin pages', () => {
    it('every page, refusal and redirect has a strict policy and is neither cached nor framed', async () => {
      const { get, post, path, target } = await openPages();
      const responses = [
        await get('/'),
        await get('/users'),
        await get(path),
        await get(`${path}/block`),
        await get('/users', {}),
        await get(`/users/${unknownId}`),
        await get(path, { cookie: target.cookie }),
        await post(`${path}/block`, {}),
      ];
      expect(responses.map(({ status }) => status)).toEqual([303, 200, 200, 200, 401, 404, 403, 403]);
      for (const { headers, text } of responses) {
        expect(headers).toMatchObject({
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'x-frame-options': 'DENY',
          'referrer-policy': 'same-origin',
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-resource-policy': 'same-origin',
          vary: expect.stringContaining('Cookie'),
        });
        const policy = String(headers['content-security-policy']);
        for (const rule of [
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "form-action 'self'",
          "base-uri 'none'",
          "frame-ancestors 'none'",
        ])
          expect(policy.split('; ')).toContain(rule);
        expect(policy).not.toMatch(/unsafe|https?:|data:|\*/);
        // Nothing inline, and nothing of another site.
        expect(text).not.toMatch(
          /<style|<script(?! src="\/app\/admin\/assets\/)|\son\w+=|style=|https?:\/\//,
        );
      }
    });

    it('the stylesheet, the script and the icon are files that caches keep under a name with a digest', async () => {
      const { get } = await openPages();
      const { text } = await get('/users');
      const files = new Set([...text.matchAll(/"\/app\/admin(\/assets\/[^"]+)"/g)].map(([, file]) => file));
      expect([...files].map((file) => file?.replace(/-\w{16}\./, '.')).sort()).toEqual([
        '/assets/admin.css',
        '/assets/admin.js',
        '/assets/icon.svg',
      ]);
      const types = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' };
      for (const file of files) {
        // Without a session: the page for visitors who are not signed in uses them too.
        const { status, headers, text: content } = await get(file!, {});
        const type = types[file!.split('.').at(-1) as 'css'];
        expect([status, headers['content-type']]).toEqual([200, `${type}; charset=utf-8`]);
        expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
        expect(headers['x-content-type-options']).toBe('nosniff');
        expect(content).not.toMatch(/url\(|@import|fetch\(|eval|innerHTML/);
      }
      expect((await get('/assets/admin-0000000000000000.css')).status).toBe(404);
    });

    it('the message of a change is chosen by its code, so that a link cannot make a page say anything else', async () => {
      const { get } = await openPages();
      expect((await get('/users?done=deleted')).text).toContain('User deleted.');
      for (const code of ['hello', '<b>x</b>', '__proto__', 'toString', '']) {
        const { text } = await get(`/users?done=${encodeURIComponent(code)}`);
        expect(text).not.toContain('class="flash"');
      }
    });
  });
}
