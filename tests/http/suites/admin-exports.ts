/** The days of the audit page, what it refuses, and downloads that end before the list does. */
import { csvOf, type CsvPage } from '../../../src/admin/csv.js';
import { openAdminPages, pagesPath } from '../../support/admin-pages.js';
import { outcomeOf } from '../../support/outcomes.js';
import type { OpenSite } from '../matrix.js';

const day = 24 * 60 * 60_000;

export function adminExports(open: OpenSite): void {
  describe('the days of the audit page', () => {
    it('select records in the time zone of the viewer, in the list and in the file', async () => {
      const { get, me, site, target } = await openAdminPages(open);
      const userId = target.user.id as string;
      // 16:30 in UTC is the next day in Tokyo, which has no summer time.
      const midnight = Math.ceil(site.clock.now() / day) * day;
      site.clock.advance(midnight + 16.5 * 60 * 60_000 - site.clock.now());
      await site.service.users.update(userId, { metadata: { a: 1 } });
      const admin = await site.post('/password/login', { email: me.email, password: me.password });
      const cookie = `${admin.headers['set-cookie']![0]!.split(';')[0]!}; svc_zone=Asia/Tokyo`;
      const dates = [midnight, midnight + day].map((at) => new Date(at).toISOString().slice(0, 10));
      const query = (from: string) => `userId=${userId}&action=user.updated&from=${from}&to=${from}`;
      const counts = [];
      for (const date of dates) {
        const page = await get(`/audit?${query(date)}`, { cookie });
        expect(page.text).toContain(`/audit.csv?${query(date).replaceAll('&', '&#38;')}`);
        const { text } = await get(`/audit.csv?${query(date)}`, { cookie });
        counts.push([page.text.split('role="cell" class="who"').length - 1, text.split('\r\n').length - 2]);
      }
      expect(counts).toEqual([
        [0, 0],
        [1, 1],
      ]);
    });

    it('shows an error if the action has more than 255 characters', async () => {
      const { get } = await openAdminPages(open);
      const page = await get(`/audit?action=${'a'.repeat(256)}`);
      expect(page.status).toBe(422);
      expect(page.text).toContain('Enter at most 255 characters.');
      expect(page.text).not.toContain('No records');
    });
  });

  describe('the audit page', () => {
    it('shows how many attempts a record stands for', async () => {
      const { get, site } = await openAdminPages(open);
      // The storage has records of other tests, each of an earlier day.
      const day = new Date(site.clock.now()).toISOString().slice(0, 10);
      const list = `/audit?action=sign_in.failed&from=${day}`;
      const forge = () => outcomeOf(() => site.service.magicLink.verify('forged', { ip: '192.0.2.33' }));
      for (let count = 0; count < 1_244; count += 1) await forge();
      expect((await get(list)).text).not.toContain('Attempts');
      site.clock.advance(60_000);
      await forge();
      const { text } = await get(list);
      expect(text.match(/Attempts: [\d,]+/g)).toEqual(['Attempts: 1,234']);
    });
  });

  describe('downloads of the admin pages', () => {
    const textOf = async (total: number) => {
      const read = async ({ cursor, limit }: { cursor: string | null; limit: number }): Promise<CsvPage> => {
        const start = Number(cursor ?? 0);
        const end = Math.min(total, start + limit);
        const rows = Array.from({ length: end - start }, (_, index) => [String(start + index)]);
        return { rows, nextCursor: end < total ? String(end) : null };
      };
      let text = '';
      for await (const part of await csvOf(['id'], read)) text += part;
      return text.trimEnd().split('\r\n');
    };

    it('say in their last line that they end before the list does', async () => {
      const whole = await textOf(10_000);
      expect([whole.length, whole.at(-1)]).toEqual([10_001, '9999']);
      const part = await textOf(10_001);
      expect([part.length, part.at(-1)]).toEqual([
        10_002,
        expect.stringContaining('svc-auth-truncated: the first 10000 rows'),
      ]);
    });

    it('can be asked for without their content', async () => {
      const { site, me } = await openAdminPages(open);
      for (const path of ['/users.csv', '/audit.csv']) {
        const asked = await site.send('HEAD', pagesPath + path, undefined, { cookie: me.cookie });
        const { status, headers, text } = asked;
        expect([path, status, text]).toEqual([path, 200, '']);
        expect(headers['content-type']).toContain('text/csv');
      }
    });

    it('are announced with their number of rows by lists of more than one page', async () => {
      const { get, site, target } = await openAdminPages(open);
      const mentions = async (path: string) => (await get(path)).text.includes('first 10,000 rows');
      // The storage has users and records of other tests.
      for (const path of [`/audit?userId=${target.user.id as string}`, `/users?search=${target.email}`])
        expect([path, await mentions(path)]).toEqual([path, false]);
      for (let count = 0; count < 51; count += 1)
        await site.service.users.create({ email: site.uniqueEmail() });
      for (const path of ['/audit', '/users']) expect([path, await mentions(path)]).toEqual([path, true]);
    });

    it('have a form that sends the filters to the page itself', async () => {
      const { get } = await openAdminPages(open);
      expect((await get('/audit')).text).toContain(`action="${pagesPath}/audit"`);
    });
  });
}
