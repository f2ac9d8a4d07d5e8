/** What the admin pages do with many users: bulk actions, invitations from a list, a lockdown, exports; and a user's sign-ins. */
import { addressesIn } from '../../../src/admin/bulk/address-list.js';
import {
  fieldsOf,
  isAdmin,
  openAdminPages,
  pagesPath,
  type SceneOptions,
} from '../../support/admin-pages.js';
import { guessPassword } from '../../support/guesses.js';
import type { HttpResponse } from '../../support/http-client.js';
import { minute, unknownId } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';

/** The text of each row of a table. */
const rowsOf = ({ text }: HttpResponse) =>
  [...text.matchAll(/<tr role="row">\s*<td[^]*?<\/tr>/g)].map(([row]) =>
    row
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );

export function adminBulk(open: OpenSite): void {
  const openPages = (options?: SceneOptions) => openAdminPages(open, options);

  /** A scene with three more users, and a function that submits a form with several ids. */
  async function openBulk(options?: SceneOptions) {
    const scene = await openPages(options);
    const { get, me, site } = scene;
    const others = await Promise.all([site.signUp(), site.signUp(), site.signUp()]);
    const idOf = (account: { user: Record<string, unknown> }) => account.user['id'] as string;
    const submitIds = async (path: string, ids: readonly string[], fields: Record<string, string> = {}) => {
      const query = new URLSearchParams(ids.map((id): [string, string] => ['id', id]));
      const page = await get(`${path}?${query.toString()}`);
      const { id: _, ...hidden } = fieldsOf(page.text);
      const body = new URLSearchParams([...query, ...Object.entries({ ...hidden, ...fields })]).toString();
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const result = await site.send('POST', `${pagesPath}${path}`, body, { cookie: me.cookie, headers });
      return { page, result };
    };
    return { ...scene, idOf, ids: others.map(idOf), others, submitIds };
  }

  describe('bulk actions of the admin pages', () => {
    it('block the users who were selected after a page that lists them, each with a record', async () => {
      const { idOf, ids, me, others, site, submitIds } = await openBulk();
      const { page, result } = await submitIds('/users/bulk/block', ids, { reason: 'Spam' });
      for (const { email } of others) expect(page.text).toContain(email);
      expect(page.text).toContain('Each of these users is signed out everywhere');
      expect(result.status).toBe(200);
      expect(rowsOf(result)).toEqual(others.map(({ email }) => `${email} Blocked`));
      expect(result.text).toContain('Users changed: 3 of 3');
      for (const id of ids) {
        expect((await site.service.users.get(id)).blocked).toMatchObject({ reason: 'Spam' });
        const { records } = await site.service.audit.list({ userId: id, action: 'user.blocked' });
        expect(records.map(({ actors }) => actors)).toEqual([[{ type: 'user', id: idOf(me) }]]);
      }
    });

    it('say what happened to each user: the own account, a user who was deleted, a block in force', async () => {
      const { idOf, ids, me, site, submitIds } = await openBulk();
      await site.service.users.block(ids[0]!, { reason: 'before' });
      const asked = [idOf(me), ids[0]!, unknownId, ids[1]!];
      const { page, result } = await submitIds('/users/bulk/block', asked);
      expect(page.text).toContain('Your own account is left out.');
      expect(rowsOf(result).map((row) => row.replace(/^\S+ /, ''))).toEqual([
        'Your own account: nothing was changed',
        'Was blocked already',
        'Not found',
        'Blocked',
      ]);
      expect((await site.service.users.get(ids[0]!)).blocked).toMatchObject({ reason: 'before' });
      expect((await site.service.users.get(idOf(me))).blocked).toBeNull();
    });

    it('ask authorize about each user', async () => {
      let refused = '';
      const { ids, others, site, submitIds } = await openBulk({
        pages: { authorize: (user, action, target) => isAdmin(user, action, target) && target !== refused },
      });
      refused = ids[1]!;
      const { result } = await submitIds('/users/bulk/sign-out', ids);
      expect(rowsOf(result).map((row) => row.replace(/^\S+ /, ''))).toEqual([
        'Signed out',
        'Not allowed',
        'Signed out',
      ]);
      const statuses = others.map(async ({ cookie }) => (await site.get('/session', { cookie })).status);
      expect(await Promise.all(statuses)).toEqual([401, 200, 401]);
    });

    it('neither show nor change a user whose page the administrator may not open', async () => {
      let hidden: readonly string[] = [];
      const { ids, others, site, submitIds } = await openBulk({
        pages: {
          authorize: (user, action, target) =>
            isAdmin(user, action, target) && !(action === 'users.get' && hidden.includes(target ?? '')),
        },
      });
      hidden = [ids[1]!, unknownId];
      const asked = [ids[0]!, ids[1]!, unknownId];
      const { page, result } = await submitIds('/users/bulk/block', asked);
      for (const { text } of [page, result]) {
        expect(text).toContain(others[0].email);
        expect(text).not.toContain(others[1].email);
      }
      // A user who exists and one who does not have the same answer.
      expect(rowsOf(result)).toEqual([
        `${others[0].email} Blocked`,
        `${ids[1]!} Not allowed`,
        `${unknownId} Not allowed`,
      ]);
      expect((await site.service.users.get(ids[1]!)).blocked).toBeNull();
      const { page: none } = await submitIds('/users/bulk/sign-out', hidden);
      expect(none.text).toContain('Select users first');
      expect(none.text).not.toContain(others[1].email);
    });

    it('are refused without the permission, without a recent sign-in and without the token of the form', async () => {
      const { get, ids, post, site } = await openBulk({
        pages: { authorize: (user, action) => isAdmin(user, action, null) && action !== 'users.block' },
      });
      expect((await get(`/users/bulk/block?id=${ids[0]}`)).status).toBe(403);
      expect((await get('/users')).text).not.toContain('bulk/block');
      expect((await post('/users/bulk/sign-out', { id: ids[0]! })).status).toBe(403);
      site.clock.advance(11 * minute);
      expect((await get(`/users/bulk/sign-out?id=${ids[0]}`)).status).toBe(403);
      expect((await site.service.users.listSessions(ids[0]!)).sessions).toHaveLength(1);
    });

    it('change nothing if no one was selected, and at most 100 users at a time', async () => {
      const { get, ids } = await openBulk();
      expect((await get('/users/bulk/block')).text).toContain('Select users first');
      expect((await get('/users/bulk/block?id=x&id=<script>')).text).toContain('Select users first');
      const many = Array.from({ length: 100 }, (_, index) => unknownId.slice(0, -3) + String(100 + index));
      const query = [...many, ids[0]!].map((id) => `id=${id}`).join('&');
      expect((await get(`/users/bulk/block?${query}`)).text).toContain('Select users first');
    });
  });

  describe('invitations from a list', () => {
    it('are sent to each address once, with a result for each line', async () => {
      const { site, submit, target } = await openPages();
      const [a, b] = [site.uniqueEmail(), site.uniqueEmail()];
      site.mail.clear();
      const addresses = `Name,Email\r\nAda,${a}\n"Grace" <${b.toUpperCase()}>;\n${a}\n${target.email}\nno address`;
      const result = await submit('/users/invite-list', { addresses, roles: 'support' });
      expect(result.status).toBe(200);
      expect(rowsOf(result)).toEqual([
        'Name,Email Not an email address',
        `${a} Invitation sent`,
        `${b} Invitation sent`,
        `${a} Is in the list twice`,
        `${target.email} Has an account already, or an invitation`,
        'no address Not an email address',
      ]);
      expect(result.text).toContain('Invitations sent: 2');
      await site.settle();
      expect(site.mail.messages.map(({ to }) => to).sort()).toEqual([a, b].sort());
      expect((await site.service.users.find({ email: a }))?.roles).toEqual(['support']);
      const again = await submit('/users/invite-list', { addresses: a });
      expect(rowsOf(again)).toEqual([`${a} Has an account already, or an invitation`]);
    });

    it('are refused without an address, with more than 200 lines and with a malformed role', async () => {
      const { site, submit } = await openPages();
      site.mail.clear();
      const many = Array.from({ length: 201 }, (_, index) => `a${index}@example.test`).join('\n');
      const refused = [
        [{ addresses: ' \n ' }, 'Enter at least one email address.'],
        [{ addresses: many }, 'Enter at most 200 lines.'],
        [{ addresses: 'a@example.test', roles: 'No Role!' }, 'Enter at most 20 roles'],
      ] as const;
      for (const [fields, error] of refused) {
        const response = await submit('/users/invite-list', fields);
        expect(response.status).toBe(422);
        expect(response.text).toContain(error);
      }
      await site.settle();
      expect(site.mail.messages).toEqual([]);
    });

    it('read names, quotes and cells around addresses', () => {
      expect(
        addressesIn('Ada;ada@a.test;x\n a@a.test, b@a.test\n\n"C" <c@a.test>').map(({ email }) => email),
      ).toEqual([...['ada@a.test', 'a@a.test', 'b@a.test', 'c@a.test']]);
    });
  });

  describe('the lockdown of the admin pages', () => {
    const typed = { confirmation: 'lockdown' };

    it('ends the sessions of a user, of everyone, and says that the administrator has to sign in again', async () => {
      const { get, me, site, submit, target } = await openPages();
      const userId = target.user.id as string;
      const done = await submit('/lockdown', { ...typed, scope: 'user', target: userId });
      expect(done.text).toContain('Every session has ended. Users: 1.');
      expect((await site.get('/session', { cookie: target.cookie })).status).toBe(401);
      expect((await site.get('/session', { cookie: me.cookie })).status).toBe(200);
      const everyone = await submit('/lockdown', { ...typed, scope: 'everyone', target: '' });
      expect(everyone.text).toContain('Every session of every user has ended.');
      expect(everyone.text).toContain('sign in again');
      expect((await get('/users')).status).toBe(401);
      const { records } = await site.service.audit.list({ action: 'lockdown.started' });
      expect(records).toHaveLength(2);
    });

    it('is refused without the typed word, without an id, with an unknown id and with an id next to everyone', async () => {
      const { site, submit, target } = await openPages();
      const userId = target.user.id as string;
      const refused = [
        [{ scope: 'user', target: userId, confirmation: 'LOCK' }, 'The text doesn’t match.'],
        [{ ...typed, scope: 'user', target: '' }, 'Enter the id of a user or an organization.'],
        [{ ...typed, scope: 'nothing', target: userId }, 'Enter the id of a user or an organization.'],
        [{ ...typed, scope: 'user', target: unknownId }, 'There is no user or organization with this id.'],
        [
          { ...typed, scope: 'organization', target: userId },
          'There is no user or organization with this id.',
        ],
        [{ ...typed, scope: 'everyone', target: userId }, 'Leave this empty'],
      ] as const;
      for (const [fields, error] of refused) {
        const response = await submit('/lockdown', fields);
        expect([fields, response.status]).toEqual([fields, 422]);
        expect(response.text).toContain(error);
      }
      expect((await site.get('/session', { cookie: target.cookie })).status).toBe(200);
    });

    it('needs the permission and a recent sign-in', async () => {
      const { get, site } = await openPages({
        pages: { authorize: (user, action) => isAdmin(user, action, null) && action !== 'lockdown' },
      });
      expect((await get('/lockdown')).status).toBe(403);
      expect((await get('/users')).text).not.toContain('/lockdown"');
      const { get: getOther, site: other } = await openPages();
      other.clock.advance(11 * minute);
      expect((await getOther('/lockdown')).status).toBe(403);
      expect(site).not.toBe(other);
    });
  });

  describe('the exports of the admin pages', () => {
    it('have the users that the filters select, and cells that no spreadsheet runs', async () => {
      const { get, me, site, target } = await openPages();
      await site.service.users.update(target.user.id as string, { externalId: '=1+1' });
      const query = `search=${target.email}&verified=no`;
      const page = await get(`/users.csv?${query}`);
      expect(page.headers['content-type']).toBe('text/csv; charset=utf-8');
      expect(page.headers['content-disposition']).toBe('attachment; filename="users.csv"');
      const [heading, ...lines] = page.text.trimEnd().split('\r\n');
      expect(heading).toMatch(/^id,email,email_verified,username,external_id,roles,/);
      expect(lines.map((line) => line.split(',')[1])).toEqual([target.email]);
      expect(lines[0]).toContain("'=1+1");
      expect((await get(`/users.csv?search=${me.email}&verified=no`)).text).not.toContain(me.email);
      expect((await get('/users?verified=no')).text).toContain(`${pagesPath}/users.csv?verified=no`);
    });

    it('are read page by page', async () => {
      const { get, site } = await openPages();
      for (let count = 0; count < 201; count++)
        await site.service.users.create({ email: site.uniqueEmail() });
      const lines = (await get('/users.csv?sort=oldest')).text.trimEnd().split('\r\n');
      expect(new Set(lines).size).toBeGreaterThanOrEqual(204);
      expect(new Set(lines).size).toBe(lines.length);
    });

    it('have the records of the audit log that the filters select', async () => {
      const { get, site, target } = await openPages();
      const userId = target.user.id as string;
      await site.service.users.block(userId, { reason: '=cmd' });
      const { text } = await get(`/audit.csv?userId=${userId}&action=user.blocked`);
      const [heading, ...lines] = text.trimEnd().split('\r\n');
      expect(heading).toMatch(/^id,at,action,outcome,reason,user_id,/);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain(`user.blocked,success,,${userId}`);
      expect((await get(`/audit?userId=${userId}`)).text).toContain(
        `${pagesPath}/audit.csv?userId=${userId}`,
      );
      expect((await get('/audit.csv?userId=x')).status).toBe(200);
    });

    it('need the permission of the page', async () => {
      const { get } = await openPages({
        pages: { authorize: (user, action) => isAdmin(user, action, null) && action === 'users.get' },
      });
      expect((await get('/users.csv')).status).toBe(403);
      expect((await get('/audit.csv')).status).toBe(403);
    });
  });

  describe('the sign-ins of a user', () => {
    it('have the method, the outcome with its reason, the place and the device, newest first', async () => {
      const { get, path, site, target } = await openPages({
        site: { service: { locate: () => 'Hamburg, Germany' } },
      });
      const headers = { 'User-Agent': 'Mozilla/5.0 (X11; Linux) Firefox/130.0' };
      const sign = (password: string) =>
        site.post('/password/login', { email: target.email, password }, { headers });
      site.clock.advance(minute);
      await sign('another wrong password');
      site.clock.advance(minute);
      await sign(target.password);
      const { text } = await get(path);
      const section =
        /<section class="card" aria-labelledby="sign-ins-heading"[^]*?<\/section>/.exec(text)?.[0] ?? '';
      const entries = [...section.matchAll(/<li>([^]*?)<\/li>/g)].map(([, entry]) =>
        entry!
          .replace(/<[^>]+>/g, '')
          .replace(/\s+/g, ' ')
          .trim(),
      );
      expect(entries[0]).toMatch(/^Signed in password_login .*Firefox on Linux · Hamburg, Germany · /);
      expect(entries[1]).toMatch(/^Failed: \w+ password_login /);
      expect(entries).toHaveLength(3);
      expect(section).toContain(`${pagesPath}/audit?userId=${target.user.id as string}`);
    });

    it('show how many attempts a record stands for', async () => {
      const { get, path, site, target } = await openPages();
      const userId = target.user.id as string;
      await guessPassword(site.service, userId, 40);
      expect((await get(path)).text).not.toContain('Attempts');
      site.clock.advance(minute);
      await guessPassword(site.service, userId, 1);
      const { records } = await site.service.audit.list({ userId, action: 'sign_in.failed' });
      const counts = records.flatMap(({ details: { count } }) => (count === undefined ? [] : [count]));
      expect(counts).not.toEqual([]);
      const shown = (await get(path)).text.match(/Attempts: \d+/g);
      expect(shown).toEqual(counts.map((count) => `Attempts: ${count as number}`));
    });

    it('are shown only to administrators who may read the audit log', async () => {
      const { get, path } = await openPages({
        pages: { authorize: (user, action) => isAdmin(user, action, null) && action !== 'audit.list' },
      });
      expect((await get(path)).text).not.toContain('sign-ins-heading');
    });
  });

  describe('the search of the list of users', () => {
    it('finds the middle of an address if its box is checked', async () => {
      const { get, target } = await openPages();
      const middle = target.email.slice(2, -3);
      expect((await get(`/users?search=${middle}`)).text).toContain('No users match');
      const found = await get(`/users?search=${middle}&within=words`);
      expect(found.text).toContain(target.email);
      expect(found.text).toMatch(/name="within" value="words" checked/);
      const short = await get('/users?search=ab&within=words');
      expect(short.status).toBe(422);
      expect(short.text).toContain('Enter at least three characters');
    });
  });
}
