/** What the forms of the admin pages do: every action, and what each says if it is refused. */
import {
  fieldsOf,
  openAdminPages,
  pagesPath,
  unescaped,
  type SceneOptions,
} from '../../support/admin-pages.js';
import type { HttpResponse } from '../../support/http-client.js';
import { validPassword } from '../../support/http-site.js';
import { license, minute, proProviders, unknownId } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';

const pro: SceneOptions = { site: { pro: true, service: { ...license, providers: proProviders } } };

/** The errors of a form: next to its fields, or in its summary. */
const errorsOf = ({ text }: HttpResponse) =>
  [...text.matchAll(/<p class="error" id="field-(\w+)-error">(.*?)<\/p>/g)].map(
    ([, field, error]) => `${field}: ${unescaped(error ?? '')}`,
  );
const summaryOf = ({ text }: HttpResponse) =>
  unescaped(/role="alert"[^]*?<li>(?:<a[^>]*>)?(.*?)</.exec(text)?.[1] ?? '');

export function adminPageActions(open: OpenSite): void {
  const openPages = (options?: SceneOptions) => openAdminPages(open, options);

  describe('the forms of the admin pages', () => {
    it('block a user with a reason and a length, and unblock the user', async () => {
      const { site, submit, get, path, target, me } = await openPages(pro);
      const actors: unknown[] = [];
      site.service.on('*', (_, payload) => void ('actor' in payload && actors.push(payload.actor)));
      const fields = { reason: ' Spam\r\nTicket 12 ', length: '7d' };
      const blocked = await submit(`${path}/block`, fields);
      expect([blocked.status, blocked.location]).toEqual([303, `${pagesPath}${path}?done=blocked`]);
      const until = new Date(site.clock.now() + 7 * 24 * 60 * minute);
      const { blocked: block } = await site.service.users.get(target.user.id as string);
      expect(block).toMatchObject({ reason: 'Spam\nTicket 12', until });
      expect((await site.get('/session', { cookie: target.cookie })).status).toBe(401);
      const page = await get(`${path}?done=blocked`);
      expect(page.text).toContain('User blocked.');
      expect(page.text).toContain('Spam\nTicket 12');
      expect((await submit(`${path}/unblock`)).location).toBe(`${pagesPath}${path}?done=unblocked`);
      expect((await site.service.users.get(target.user.id as string)).blocked).toBeNull();
      expect(actors).toEqual([
        { type: 'user', id: me.user.id },
        { type: 'user', id: me.user.id },
      ]);
    });

    it.each<[string, Record<string, string>, string]>([
      ['a date that is missing', { length: 'time' }, 'until: Enter the date and the time.'],
      [
        'a date in the past',
        { length: 'time', until: '2001-01-01T00:00' },
        'until: Enter a time in the future.',
      ],
      [
        'a date that is not one',
        { length: 'time', until: '2099-13-40T00:00' },
        'until: Enter the date and the time.',
      ],
      ['an unknown length', { length: 'constructor' }, 'length: Choose a duration.'],
      [
        'a date without the length for it',
        { until: '2099-01-01T00:00' },
        'length: Choose “Until a date”, or clear the end of the block.',
      ],
      [
        'a reason of 501 characters',
        { reason: 'x'.repeat(501) },
        'reason: The reason must be at most 500 characters long.',
      ],
    ])('refuse a block with %s, keep what was typed, and change nothing', async (_, fields, error) => {
      const { site, submit, path, target } = await openPages();
      const response = await submit(`${path}/block`, fields);
      expect([response.status, errorsOf(response)]).toEqual([422, [error]]);
      expect(response.text).toContain('<title>Error: Block user');
      if (fields['reason']) expect(response.text).toContain(fields['reason']);
      expect((await site.service.users.get(target.user.id as string)).blocked).toBeNull();
    });

    it('block a user until a date in UTC', async () => {
      const { site, submit, path, target } = await openPages();
      await submit(`${path}/block`, { length: 'time', until: '2190-05-06T07:08' });
      const { blocked } = await site.service.users.get(target.user.id as string);
      expect(blocked?.until).toEqual(new Date('2190-05-06T07:08:00Z'));
    });

    it('sign a user out everywhere', async () => {
      const { site, submit, path, target } = await openPages();
      expect((await submit(`${path}/sign-out`)).location).toBe(`${pagesPath}${path}?done=signed_out`);
      expect((await site.get('/session', { cookie: target.cookie })).status).toBe(401);
    });

    it('change the address, verify it, and refuse an address of another user', async () => {
      const { site, submit, path, me, target } = await openPages();
      const read = () => site.service.users.get(target.user.id as string);
      expect((await submit(`${path}/verify`)).location).toBe(`${pagesPath}${path}?done=verified`);
      expect(await read()).toMatchObject({ email: target.email, emailVerified: true });
      const email = site.uniqueEmail();
      expect((await submit(`${path}/address`, { email })).status).toBe(303);
      expect(await read()).toMatchObject({ email, emailVerified: false });
      await submit(`${path}/address`, { email: target.email, verified: 'yes' });
      expect(await read()).toMatchObject({ email: target.email, emailVerified: true });
      const taken = await submit(`${path}/address`, { email: me.email });
      expect([taken.status, errorsOf(taken)]).toEqual([422, ['email: Another user has this address.']]);
      expect(taken.text).toContain(`value="${me.email}"`);
      const malformed = await submit(`${path}/address`, { email: 'ada' });
      expect(errorsOf(malformed)).toEqual(['email: Enter an email address, such as ada@example.com.']);
    });

    it('set and remove a user name and roles', async () => {
      const { site, submit, path, target } = await openPages();
      const read = () => site.service.users.get(target.user.id as string);
      const username = `ada${site.port}`;
      await submit(`${path}/username`, { username });
      await submit(`${path}/roles`, { roles: ' support, billing\n support' });
      expect(await read()).toMatchObject({ username, roles: ['billing', 'support'] });
      expect(errorsOf(await submit(`${path}/username`, { username: 'admin' }))).toEqual([
        'username: This username is reserved. Choose another one.',
      ]);
      expect(errorsOf(await submit(`${path}/roles`, { roles: 'Not A Role' }))[0]).toMatch(
        /^roles: Enter at most 20/,
      );
      expect(await read()).toMatchObject({ username, roles: ['billing', 'support'] });
      await submit(`${path}/username`, { username: '' });
      await submit(`${path}/roles`, { roles: '' });
      expect(await read()).toMatchObject({ username: null, roles: [] });
    });

    it('set a password, which signs the user out, and refuse a weak one without repeating it', async () => {
      const { site, submit, path, target } = await openPages();
      const weak = await submit(`${path}/password`, { password: 'weak1' });
      expect(errorsOf(weak)[0]).toMatch(/^password: This password is too short/);
      expect(weak.text).not.toContain('weak1');
      expect((await submit(`${path}/password`, { password: ' battery  staple ' })).status).toBe(303);
      expect((await site.get('/session', { cookie: target.cookie })).status).toBe(401);
      const login = { email: target.email, password: ' battery  staple ' };
      expect((await site.post('/password/login', login)).status).toBe(200);
    });

    it('replace the metadata, and say where a text stops being JSON', async () => {
      const { site, submit, path, target } = await openPages();
      const read = async () => (await site.service.users.get(target.user.id as string)).metadata;
      await submit(`${path}/metadata`, { metadata: '{\n  "plan": "pro", "n": [1, 2.5e3, null]\n}' });
      expect(await read()).toEqual({ plan: 'pro', n: [1, 2500, null] });
      for (const [text, error] of [
        ['{\n  "plan": pro\n}', 'This is not valid JSON. Check line 2, column 11.'],
        ['{"a": 1,}', 'This is not valid JSON. Check line 1, column 9.'],
        ['[1]', 'The metadata must be a JSON object: {"plan": "pro"}, for example.'],
        ['{"__proto__": {"x": 1}}', 'The metadata must be a JSON object of at most 8 KB'],
        [`{"a": ${'['.repeat(10_000)}`, 'This is not valid JSON. Check line 1, column '],
        [`{"a": "${'x'.repeat(9_000)}"}`, 'The metadata must be a JSON object of at most 8 KB'],
      ] as const) {
        const response = await submit(`${path}/metadata`, { metadata: text });
        expect([response.status, errorsOf(response)[0]]).toEqual([422, expect.stringContaining(error)]);
      }
      expect(await read()).toEqual({ plan: 'pro', n: [1, 2500, null] });
      await submit(`${path}/metadata`, { metadata: ' ' });
      expect(await read()).toEqual({});
    });

    it('change the name, and keep a stored one that they do not show', async () => {
      const { site, submit, path, target } = await openPages();
      const id = target.user.id as string;
      const nameOf = async () => (await site.service.users.get(id)).metadata['name'];
      for (const name of ['Ada', ''] as const) {
        expect((await submit(`${path}/name`, { name })).location).toBe(`${pagesPath}${path}?done=name`);
        expect(await nameOf()).toBe(name || undefined);
      }
      const hidden = { first: 'Ada' };
      await site.service.users.update(id, { metadata: { name: hidden } });
      expect((await submit(`${path}/name`)).status).toBe(303);
      expect(await nameOf()).toEqual(hidden);
    });

    it('do not overwrite a change that was made after the form was opened', async () => {
      const { site, get, post, path, target } = await openPages();
      const id = target.user.id as string;
      const opened = fieldsOf((await get(`${path}/metadata`)).text);
      site.clock.advance(1000);
      await site.service.users.update(id, { metadata: { plan: 'enterprise' } });
      const mine = { ...opened, metadata: '{"plan": "free"}' };
      const refused = await post(`${path}/metadata`, mine);
      expect([refused.status, summaryOf(refused)]).toEqual([
        422,
        expect.stringMatching(/^The user has changed/),
      ]);
      // The form shows both, and the next attempt is made on purpose.
      expect(unescaped(refused.text)).toContain('{"plan": "free"}');
      expect(unescaped(refused.text)).toContain('"plan": "enterprise"');
      expect((await site.service.users.get(id)).metadata).toEqual({ plan: 'enterprise' });
      const again = await post(`${path}/metadata`, { ...fieldsOf(refused.text) });
      expect(again.status).toBe(303);
      expect((await site.service.users.get(id)).metadata).toEqual({ plan: 'free' });
      const incomplete = await post(`${path}/metadata`, { ...mine, updated_at: '' });
      expect(summaryOf(incomplete)).toBe('The form is incomplete. Open it again.');
    });

    it('create a user, and refuse wrong fields next to them', async () => {
      const { site, submit, me } = await openPages();
      const email = site.uniqueEmail();
      const fields = {
        email,
        verified: 'yes',
        password: validPassword,
        roles: 'support',
        metadata: '{"a": 1}',
      };
      const created = await submit('/users/new', fields);
      const user = await site.service.users.find({ email });
      expect(created.location).toBe(`${pagesPath}/users/${user?.id}?done=created`);
      expect(user).toMatchObject({
        emailVerified: true,
        hasPassword: true,
        roles: ['support'],
        metadata: { a: 1 },
      });
      const refused = await submit('/users/new', { email: me.email, metadata: '{"b": 2}' });
      expect([refused.status, errorsOf(refused)]).toEqual([422, ['email: Another user has this address.']]);
      expect(unescaped(refused.text)).toContain('{"b": 2}');
    });

    it('invite a user, who sets a password with the mailed link', async () => {
      const { site, submit } = await openPages();
      const email = site.uniqueEmail();
      const invited = await submit('/users/invite', { email, roles: 'support' });
      const user = await site.service.users.find({ email });
      expect(invited.location).toBe(`${pagesPath}/users/${user?.id}?done=invited`);
      const again = await submit('/users/invite', { email });
      expect(again.location).toBe(`${pagesPath}/users/${user?.id}?done=invited_again`);
      const token = site.mailedToken(email);
      expect((await site.post('/password/reset', { token, newPassword: validPassword })).status).toBe(200);
      expect((await site.post('/password/login', { email, password: validPassword })).json.user.email).toBe(
        email,
      );
      const verified = await submit('/users/invite', { email });
      expect(errorsOf(verified)).toEqual(['email: Another user has this address.']);
    });

    it('delete a user only if the name is typed in', async () => {
      const { site, submit, path, target } = await openPages(pro);
      const id = target.user.id as string;
      for (const confirmation of ['', 'yes', target.email.slice(1)]) {
        const refused = await submit(`${path}/delete`, { confirmation });
        expect([refused.status, errorsOf(refused)]).toEqual([422, ['confirmation: The text doesn’t match.']]);
      }
      expect((await site.service.users.get(id)).id).toBe(id);
      const deleted = await submit(`${path}/delete`, { confirmation: ` ${target.email} ` });
      expect(deleted.location).toBe(`${pagesPath}/users?done=deleted`);
      await expect(site.service.users.get(id)).rejects.toMatchObject({ code: 'user_not_found' });
    });

    it('end a session, revoke a key and a token, and remove from an organization, of this user only', async () => {
      const { site, submit, get, path, me, target } = await openPages(pro);
      const { apiKeys, orgs, refresh, sessionsProvider } = site.service;
      const [id, other] = [target.user.id as string, me.user.id as string];
      await site.service.users.update(id, { emailVerified: true });
      const own = await sessionsProvider.listDevices(id);
      const { record } = await apiKeys.create({ userId: id, name: 'Backup' });
      await refresh.issue({ userId: id });
      const [family] = await refresh.list(id);
      const { org } = await orgs.create({
        name: 'Engines',
        slug: `engines-${site.port}`,
        ownerUserId: other,
      });
      await orgs.addMember(org.id, id, 'member');
      const elsewhere = `/users/${other}`;
      for (const [thing, done] of [
        [`sessions/${own[0]!.id}/end`, 'session_ended'],
        [`keys/${record.id}/revoke`, 'key_revoked'],
        [`tokens/${family!.id}/revoke`, 'token_revoked'],
      ] as const) {
        // On the page of another user, nothing of this one ends.
        expect((await submit(`${elsewhere}/${thing}`)).status).toBe(303);
        expect((await get(`${path}/${thing}`)).text).toContain('<dt>');
        expect((await submit(`${path}/${thing}`)).location).toBe(`${pagesPath}${path}?done=${done}`);
        expect((await get(`${path}/${thing}`)).text).toContain('no longer exists');
      }
      expect(await sessionsProvider.listDevices(id)).toEqual([]);
      expect(await refresh.list(id)).toEqual([]);
      expect((await apiKeys.list({ userId: id }))[0]?.revokedAt).not.toBeNull();
      const owner = await submit(`${elsewhere}/organizations/${org.id}/remove`);
      expect(summaryOf(owner)).toMatch(/^The last owner of an organization/);
      await submit(`${path}/organizations/${org.id}/remove`);
      expect(await orgs.roleOf(org.id, id)).toBeNull();
    });

    it('act on an unknown user with a page that says so', async () => {
      const { get, submit, path } = await openPages();
      const fields = fieldsOf((await get(`${path}/block`)).text);
      expect(fields['form_token']).not.toBe('');
      expect((await get(`/users/${unknownId}/block`)).status).toBe(404);
      expect((await get(`/users/x%00y`)).status).toBe(404);
      await expect(submit(`/users/${unknownId}/block`)).rejects.toThrow();
    });

    it('start an impersonation in this browser, and end it', async () => {
      const { site, submit, get, post, path, me, target } = await openPages({
        site: {
          pro: true,
          service: { ...license, providers: { ...proProviders, sessions: { canImpersonate: () => true } } },
        },
      });
      const started = await submit(`${path}/impersonate`, { reason: 'Ticket 12' });
      expect([started.status, started.location]).toEqual([303, '/']);
      const [kept, own] = ['svc_admin', 'svc_session'].map((name) => started.cookie(name));
      const attributes = started.cookies.find(({ name }) => name === 'svc_admin')?.attributes;
      expect(attributes).toMatchObject({
        path: pagesPath,
        httponly: true,
        samesite: 'Lax',
        'max-age': '900',
      });
      expect((await site.get('/session', { cookie: own! })).json.user.id).toBe(target.user.id);

      const browser = { cookie: `${kept}; ${own}` };
      const page = await get('/impersonation', browser);
      expect(page.text).toContain('Stop impersonating');
      const refused = await post('/impersonation', {}, browser);
      expect([refused.status, refused.cookies]).toEqual([403, []]);
      const evil = { ...browser, headers: { Origin: 'https://evil.test' } };
      expect((await submit('/impersonation', {}, evil).catch(() => null))?.cookies ?? []).toEqual([]);
      const ended = await submit('/impersonation', {}, browser);
      expect([ended.status, ended.location]).toEqual([303, `${pagesPath}${path}?done=impersonation_ended`]);
      expect((await site.get('/session', { cookie: ended.cookie() })).json.user.id).toBe(me.user.id);
      expect(ended.cookies.find(({ name }) => name === 'svc_admin')?.value).toBe('');
    });

    //
    it('end an impersonation although another cookie of the name stands before that of the administrator', async () => {
      const { site, submit, path, me } = await openPages({
        site: { service: { ...license, providers: { sessions: { canImpersonate: () => true } } } },
      });
      const started = await submit(`${path}/impersonate`);
      const own = `${started.cookie('svc_admin')}; ${started.cookie('svc_session')}`;
      const ended = await submit('/impersonation', {}, { cookie: `svc_admin=stale; ${own}` });
      expect(ended.status).toBe(303);
      expect((await site.get('/session', { cookie: ended.cookie() })).json.user.id).toBe(me.user.id);
    });

    it('end an impersonation without the session of its administrator by signing out of it', async () => {
      const { site, submit, path } = await openPages({
        site: { service: { ...license, providers: { sessions: { canImpersonate: () => true } } } },
      });
      const started = await submit(`${path}/impersonate`);
      const stranger = await site.signUp();
      for (const kept of ['', '; svc_admin=x', `; svc_admin=${stranger.cookie.split('=')[1]}`]) {
        const browser = { cookie: started.cookie('svc_session') + kept };
        const ended = await submit('/impersonation', {}, browser);
        expect(ended.status).toBe(401);
        expect(ended.cookies.map(({ name, value }) => `${name}=${value}`).sort()).toEqual([
          'svc_admin=',
          'svc_admin_path=',
          'svc_session=',
        ]);
      }
    });

    it('say so if the application does not allow an impersonation', async () => {
      const { submit, path, site, target } = await openPages(pro);
      const refused = await submit(`${path}/impersonate`);
      expect([refused.status, summaryOf(refused)]).toEqual([
        422,
        'The application does not allow this for this user.',
      ]);
      expect(refused.cookies).toEqual([]);
      expect((await site.get('/session', { cookie: target.cookie })).status).toBe(200);
    });
  });
}
