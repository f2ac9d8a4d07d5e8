/** The overview of the admin pages, and the route with its numbers. */
import { openAdminPages, type SceneOptions } from '../../support/admin-pages.js';
import { outcomeOf } from '../../support/outcomes.js';
import { expectError } from './expect.js';
import type { OpenSite } from '../matrix.js';

const counted: SceneOptions = { site: { service: { statistics: true } } };

export function adminOverview(open: OpenSite): void {
  const openPages = (options: SceneOptions = counted) => openAdminPages(open, options);

  /** Numbers are added when a service closes, in the background until then. */
  async function openCounted(options?: SceneOptions) {
    const scene = await openPages(options);
    const { me, site, target } = scene;
    const email = target.email;
    await site.post('/password/login', { email, password: 'a wrong password' });
    await site.post('/password/login', { email, password: target.password });
    await site.post('/password/login', { email: me.email, password: me.password });
    await site.service.close();
    return scene;
  }

  describe('the overview of the admin pages', () => {
    it('shows charts of what has happened, each with its numbers in a table', async () => {
      const { get } = await openCounted();
      const page = await get('/overview');
      expect(page.status).toBe(200);
      for (const title of ['Sign-ups', 'Sign-ins', 'Failed sign-ins']) {
        expect(page.text).toMatch(new RegExp(`<h2 id="chart-\\w+">${title}</h2>\\s*<svg\\s+class="chart"`));
        expect(page.text).toContain(`${title} in the last 24 hours</title>`);
      }
      expect(page.text).toMatch(/<th scope="row">password_login<\/th>\s*<td class="number">2<\/td>/);
      expect(page.text).toMatch(/<th scope="row">invalid_credentials<\/th>\s*<td class="number">1<\/td>/);
      expect(page.text).toContain('No refused attempts in the last 24 hours.');
      expect(page.text).toContain('Hour (UTC)');
      expect(page.text).toMatch(/Active users<\/dt>\s*<dd>\s*<strong>2<\/strong> <span class="soft">today/);
      expect(page.text).toContain('<a href="/app/admin/overview" aria-current="page"');
      expect(page.text).not.toMatch(/style=|NaN|undefined/);
    });

    it('shows other ranges by links, and the last day for a range that does not exist', async () => {
      const { get } = await openCounted();
      const range = async (query: string) => {
        const { text } = await get(`/overview${query}`);
        return /<a href="[^"]*range=(\w+)" aria-current="page"/.exec(text)?.[1];
      };
      expect(await range('')).toBe('day');
      expect(await range('?range=month')).toBe('month');
      expect(await range('?range=year')).toBe('year');
      expect(await range('?range=<script>')).toBe('day');
      expect((await get('/overview?range=month')).text).toContain('Active users in the last 30 days</title>');
    });

    it('exports what it shows as CSV', async () => {
      const { get } = await openCounted();
      const { status, headers, text } = await get('/overview/statistics.csv?range=month');
      expect(status).toBe(200);
      expect(headers['content-type']).toBe('text/csv; charset=utf-8');
      expect(headers['content-disposition']).toBe('attachment; filename="statistics-month.csv"');
      const lines = text.trimEnd().split('\r\n');
      expect(lines[0]).toBe('period_utc,statistic,label,count');
      expect(lines.some((line) => /^\d{4}-\d\d-\d\d,sign_ins,password_login,2$/.test(line))).toBe(true);
      expect(lines.some((line) => /^\d{4}-\d\d-\d\d,active_users,,2$/.test(line))).toBe(true);
    });

    it('says how to switch it on without the option, counts nothing, and exports nothing', async () => {
      const { get, site } = await openPages({});
      const page = await get('/overview');
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('statistics: true')]);
      const file = await get('/overview/statistics.csv');
      expect([file.status, file.location]).toEqual([303, '/app/admin/overview']);
      expect(site.service.features.statistics).toBe(false);
      await expect(outcomeOf(async () => site.service.statistics.read())).resolves.toBe(
        'provider_not_configured',
      );
    });

    it('is shown and linked only to whom authorize allows statistics.read', async () => {
      const { get } = await openPages({
        ...counted,
        pages: { authorize: ({ roles }, action) => roles.includes('admin') && action !== 'statistics.read' },
      });
      for (const path of ['/overview', '/overview/statistics.csv'])
        expect((await get(path)).status).toBe(403);
      expect((await get('/users')).text).not.toContain('/overview');
      expect((await get('/overview', {})).status).toBe(401);
    });

    it('contains no address, id or IP address of a user', async () => {
      const { get, me, target, site } = await openCounted();
      for (const path of ['/overview?range=year', '/overview/statistics.csv?range=year']) {
        // The header names the administrator.
        const text = (await get(path)).text.replace(/<p class="me">.*?<\/p>/, '');
        for (const secret of [
          me.email,
          target.email,
          me.user.id as string,
          target.user.id as string,
          '127.0.0.1',
        ])
          expect(text).not.toContain(secret);
      }
      const rows = await site.adapter.statistics!.read([
        new Date(site.clock.now()).toISOString().slice(0, 7),
      ]);
      expect(rows.length).toBeGreaterThan(3);
      for (const { label } of rows) expect(label).toMatch(/^[a-z_:]*$/);
    });
  });

  describe('the route of statistics', () => {
    it('returns the report of a range, and refuses another one', async () => {
      const { site, me } = await openCounted();
      const options = { cookie: me.cookie };
      const { json } = await site.get('/admin/statistics?range=month', options);
      // Other tests share the storage, each on other days.
      expect(json).toMatchObject({ range: 'month', activeUsers: { day: 2 } });
      expect(json.periods).toHaveLength(30);
      expect((await site.get('/admin/statistics', options)).json.range).toBe('day');
      expectError(await site.get('/admin/statistics?range=week', options), 400, 'invalid_request');
    });

    it('requires the option, a session, and the permission', async () => {
      const { site, me } = await openPages({});
      const options = { cookie: me.cookie };
      expectError(await site.get('/admin/statistics', options), 501, 'provider_not_configured');
      const other = await openPages({ site: { ...counted.site, admin: { authorize: () => false } } });
      expectError(await other.site.get('/admin/statistics', {}), 401, 'token_invalid');
      const refused = await other.site.get('/admin/statistics', { cookie: other.me.cookie });
      expectError(refused, 403, 'not_authorized');
    });
  });
}
