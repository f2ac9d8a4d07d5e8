/** What the admin pages show: the list with its filters, everything about a user, and no markup of a user. */
import { openAdminPages, pagesPath, unescaped, type SceneOptions } from '../../support/admin-pages.js';
import { day, license, proProviders } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';

const pro: SceneOptions = {
  site: {
    pro: true,
    service: { ...license, providers: { ...proProviders, apiKeys: { allowUnverified: true } } },
  },
};

/** Each would run a script if it got into the page as it is: between tags, in an attribute, in a text area, in a comment. */
const vectors = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onfocus=alert(1) autofocus='",
  '</textarea><script>alert(1)</script>',
  '</title><svg onload=alert(1)>',
  '--><script>alert(1)</script>',
  '`${alert(1)}`',
];

/** The tags of the page itself that load a file. */
const own = /<(?:script|img) src="\/app\/admin\/assets\/[^>]*>/g;
/** Tags, and attributes outside of quotes, that only markup of a user could have brought. */
const injected = /<(?:script|img|svg)|\son\w+=|autofocus/;

const namesIn = (text: string) =>
  [...text.matchAll(/<a href="\/app\/admin\/users\/[\w-]+"><bdi>(.*?)<\/bdi>/g)].map(([, name]) =>
    unescaped(name!),
  );

export function adminPageContent(open: OpenSite): void {
  const openPages = (options?: SceneOptions) => openAdminPages(open, options);

  describe('the list of users on the admin pages', () => {
    it('finds users by the beginning of an address or a user name, by id, and by every filter', async () => {
      const { site, get, target } = await openPages();
      const role = `role-${site.port}`;
      const emails = [1, 2, 3].map(() => site.uniqueEmail());
      const [blocked, verified] = await Promise.all(
        emails.map((email, index) =>
          site.service.users.create({ email, roles: [role], emailVerified: index === 1 }),
        ),
      );
      await site.service.users.block(blocked!.id);
      const today = new Date(site.clock.now()).toISOString().slice(0, 10);
      const tomorrow = new Date(site.clock.now() + day).toISOString().slice(0, 10);
      const found = async (query: string) => namesIn((await get(`/users?role=${role}&${query}`)).text).sort();
      expect(await found('')).toEqual([...emails].sort());
      expect(await found('blocked=yes')).toEqual([emails[0]]);
      expect(await found('blocked=no&verified=no&guest=no')).toEqual([emails[2]]);
      expect(await found('guest=yes')).toEqual([]);
      expect(await found(`verified=yes&search=${verified!.id}`)).toEqual([emails[1]]);
      expect(await found(`from=${today}&to=${today}`)).toEqual([...emails].sort());
      expect(await found(`from=${tomorrow}`)).toEqual([]);
      const searched = await get(`/users?search=${encodeURIComponent(target.email.toUpperCase())}`);
      expect(namesIn(searched.text)).toEqual([target.email]);
      expect(searched.text).toContain('>1 user<');
      // A value that the form cannot send has no effect.
      expect(await found('blocked=x&from=yesterday&to=2026-99-99&sort=name')).toEqual([...emails].sort());
    });

    it('shows fifty users at a time, with the conditions in the link to the next page', async () => {
      const { site, get } = await openPages();
      const role = `page-${site.port}`;
      for (let count = 0; count < 51; count += 1)
        await site.service.users.create({ username: `p${site.port}x${count}`, roles: [role] });
      const first = await get(`/users?role=${role}&sort=oldest`);
      expect([namesIn(first.text).length, first.text.includes('>51 users<')]).toEqual([50, true]);
      const next = unescaped(/rel="next" href="([^"]+)"/.exec(first.text)?.[1] ?? '').slice(pagesPath.length);
      expect(next).toMatch(new RegExp(`^/users\\?role=${role}&sort=oldest&cursor=[\\w-]+&back=$`));
      const second = await get(next);
      const all = Array.from({ length: 51 }, (_, count) => `p${site.port}x${count}`);
      expect([...namesIn(first.text), ...namesIn(second.text)].sort()).toEqual(all.sort());
      expect(unescaped(second.text)).toContain(`href="${pagesPath}/users?role=${role}&sort=oldest"`);
      expect(second.text).not.toContain('rel="next"');
    });

    it('says what to do if no user matches, and which condition is invalid', async () => {
      const { get } = await openPages();
      const none = await get('/users?search=nobody-has-this-name');
      expect([none.status, none.text.includes('No users match')]).toEqual([200, true]);
      const role = await get('/users?role=No+Role');
      expect([role.status, role.text.includes('id="field-role-error"')]).toEqual([422, true]);
      expect(role.text).toContain('value="No Role"');
      const cursor = await get('/users?cursor=x');
      expect([cursor.status, cursor.text.includes('role="alert"')]).toEqual([422, true]);
      const long = await get(`/users?search=${'x'.repeat(400)}`);
      expect([long.status, long.text.includes('role="alert"')]).toEqual([422, true]);
    });

    it('shows no number of users, and no button, for which authorize refuses the action', async () => {
      const { get, path } = await openPages({
        pages: { authorize: (_, action) => ['users.list', 'users.get'].includes(action) },
      });
      const list = (await get('/users')).text;
      expect(list).not.toMatch(/\d users?<|\/users\/new|\/users\/invite/);
      const user = (await get(path)).text;
      expect(user).toContain('Profile');
      expect(user).not.toMatch(new RegExp(`href="${pagesPath}${path}/`));
    });
  });

  describe('the page of a user on the admin pages', () => {
    it('shows the profile, sign-in methods, sessions, tokens, organizations, keys and metadata', async () => {
      const { site, get, path, target, me } = await openPages(pro);
      const id = target.user.id as string;
      const { apiKeys, orgs, refresh, sessionsProvider, users } = site.service;
      await users.update(id, { metadata: { plan: 'pro' }, roles: ['support'], username: `u${site.port}` });
      const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0';
      await sessionsProvider.create({ userId: id, device: { userAgent, ip: '203.0.113.7' } });
      await apiKeys.create({ userId: id, name: 'Backup script', scopes: ['read'] });
      await refresh.issue({ userId: id, device: { name: 'Phone app' } });
      const { org } = await orgs.create({
        name: 'Engines Ltd',
        slug: `s-${site.port}`,
        ownerUserId: me.user.id as string,
      });
      await orgs.addMember(org.id, id, 'member');
      const text = unescaped((await get(path)).text);
      for (const shown of [
        target.email,
        id,
        'support',
        `u${site.port}`,
        'Firefox on Linux',
        '203.0.113.7',
        'Phone app',
        'Engines Ltd',
        'Backup script',
        '"plan": "pro"',
        'Unverified',
      ])
        expect(text).toContain(shown);
      expect(text).toMatch(/<time datetime="\d{4}-\d\d-\d\dT[\d:.]+Z" data-show="time">[^<]+ UTC<\/time>/);
      // Nothing secret.
      expect(text).not.toMatch(/passwordHash|password_hash|secretHash|cheap\$|eyJ/);
    });

    it('shows ten sessions at a time', async () => {
      const { site, get, path, target } = await openPages(pro);
      const userId = target.user.id as string;
      for (let count = 0; count < 11; count += 1)
        await site.service.sessionsProvider.create({ userId, device: { name: `Device ${count}` } });
      const first = (await get(path)).text;
      expect([...first.matchAll(/sessions\/[\w-]+\/end/g)]).toHaveLength(10);
      const next = /href="([^"#]+\?sessions=[^"#]+)#sessions"/.exec(first)?.[1] ?? '';
      const second = (await get(unescaped(next).slice(pagesPath.length))).text;
      expect([...second.matchAll(/sessions\/[\w-]+\/end/g)]).toHaveLength(2);
    });

    it('has no section of the Pro tier without a license, and its forms say so; sessions are free', async () => {
      const { get, path } = await openPages();
      const { text } = await get(path);
      for (const title of ['Sign-in methods', 'Sessions']) expect(text).toContain(title);
      expect(text).not.toMatch(/<h2[^>]*>(Organizations|API keys|Delete user)|Passkeys|Impersonate/);
      for (const form of ['delete', 'keys/x/revoke', 'organizations/x/remove', 'tokens/x/revoke']) {
        const { status, text: page } = await get(`${path}/${form}`);
        expect([form, status, page.includes('Not available')]).toEqual([form, 501, true]);
      }
    });

    it.each(vectors)('escapes %s wherever a user or an administrator can put it', async (vector) => {
      const { site, get, submit, path, me, target } = await openPages(pro);
      const id = target.user.id as string;
      const { apiKeys, orgs, sessionsProvider, users } = site.service;
      await users.update(id, { metadata: { [vector]: vector } });
      await sessionsProvider.create({ userId: id, device: { name: vector, userAgent: vector } });
      await sessionsProvider.create({ userId: id, device: { userAgent: vector } });
      await apiKeys.create({ userId: id, name: vector });
      const { org } = await orgs.create({
        name: vector.slice(0, 60),
        slug: `x-${site.port}`,
        ownerUserId: me.user.id as string,
      });
      await orgs.addMember(org.id, id, 'member');
      expect(org.name).toContain('alert(1)');
      const [session] = await sessionsProvider.listDevices(id);
      // Sent by a browser: the fields of a form that is refused are shown again.
      const forms = [
        await submit(`${path}/block`, { reason: vector, length: vector, until: vector }),
        await submit(`${path}/metadata`, { metadata: vector }),
        await submit(`${path}/address`, { email: vector }),
        await submit(`${path}/username`, { username: vector }),
        await submit(`${path}/roles`, { roles: vector }),
        await submit('/users/new', { email: vector, username: vector, roles: vector }),
        await submit(`${path}/delete`, { confirmation: vector }),
      ];
      expect(forms.map(({ status }) => status)).toEqual(forms.map(() => 422));
      const shown = [
        await get(path),
        await get(`${path}/metadata`),
        await get(`${path}/sessions/${session!.id}/end`),
        await get(`/users?search=${encodeURIComponent(vector)}&role=${encodeURIComponent(vector)}`),
        await get(`/users?from=${encodeURIComponent(vector)}&done=${encodeURIComponent(vector)}`),
      ];
      await users.block(id, { reason: vector });
      shown.push(await get(path));
      for (const { text } of [...forms, ...shown]) {
        expect(text).not.toContain(vector);
        const tags = [...text.replaceAll(own, '').matchAll(/<[^>]*>/g)].join('\n');
        expect(tags.replaceAll(/"[^"]*"/g, '""')).not.toMatch(injected);
      }
      expect(unescaped(shown.at(-1)!.text)).toContain(vector);
    });
  });
}
