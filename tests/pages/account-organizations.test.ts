// The organizations: what members, admins and owners see and do, and what strangers do not learn.
import {
  accountPagesOpener,
  accountPath,
  errorsOf,
  textOf,
  type AccountScene,
} from '../support/account-pages.js';
import { fieldsOf } from '../support/admin-pages.js';
import type { Account } from '../support/http-site.js';
import { unknownId } from '../support/make-pro-service.js';
import type { PageVisitor } from '../support/page-visitor.js';

const openAccount = accountPagesOpener();

test('the pages of an organization lead back to it by its name', async () => {
  const { browser, path } = await openOrganization();
  for (const below of ['/invite', '/edit', '/delete', '/leave', '/keys/new']) {
    const { text } = await browser.get(accountPath + path + below);
    expect([below, text]).toEqual([
      below,
      expect.stringContaining(`<a class="parent" href="${accountPath}${path}"><bdi>Engines</bdi></a>`),
    ]);
  }
});

describe('a new organization', () => {
  async function openAs(roles: string[], create: boolean | 'roles' | string[]) {
    const scene = await openAccount({
      byCode: true,
      site: { service: { providers: { orgs: { create } } } },
    });
    await scene.site.service.users.update(scene.me.user.id as string, { roles });
    scene.browser.forget();
    scene.browser.adopt((await scene.site.signInByCode(scene.me.email)).cookie);
    const list = await scene.browser.get(`${accountPath}/organizations`);
    const form = await scene.browser.get(`${accountPath}/organizations/new`);
    return { isOffered: list.text.includes('/organizations/new"'), form: form.status };
  }

  it.each([
    [['member'], false],
    [['member'], ['admin']],
    [[], 'roles' as const],
  ])('is not offered to a user with the roles %j if orgs.create is %j', async (roles, create) => {
    expect(await openAs(roles, create)).toEqual({ isOffered: false, form: 404 });
  });

  it.each([
    [[], true],
    [['admin'], ['admin']],
    [['member'], 'roles' as const],
  ])('is offered to a user with the roles %j if orgs.create is %j', async (roles, create) => {
    expect(await openAs(roles, create)).toEqual({ isOffered: true, form: 200 });
  });
});

interface OrgScene extends AccountScene {
  orgId: string;
  path: string;
  member: { account: Account; browser: PageVisitor };
  stranger: { account: Account; browser: PageVisitor };
}

/** An organization with the user as owner, and a member; and a user who is not one. */
async function openOrganization(): Promise<OrgScene> {
  const scene = await openAccount({ byCode: true });
  const { site, me, another } = scene;
  const { org } = await site.service.orgs.create({ name: 'Engines', ownerUserId: me.user.id as string });
  const [member, stranger] = [await another(), await another()];
  await site.service.orgs.addMember(org.id, member.account.user.id as string, 'member');
  return { ...scene, orgId: org.id, path: `/organizations/${org.id}`, member, stranger };
}

const send = async (
  { site }: AccountScene,
  browser: PageVisitor,
  cookie: string,
  path: string,
  fields = {},
) => {
  const token = fieldsOf((await browser.get(`${accountPath}/profile`)).text);
  const body = new URLSearchParams({ ...token, ...fields }).toString();
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return site.send('POST', accountPath + path, body, { headers, cookie });
};

describe('the organizations', () => {
  it('one is created, and its page opens', async () => {
    const { browser, open } = await openAccount({ byCode: true });
    expect(textOf(await open('/organizations'))).toContain('You’re not a member of an organization.');
    await open('/organizations/new');
    expect(errorsOf(await browser.press('/organizations/new', { name: '' }))).toEqual([
      'name: Enter a name of at most 100 characters.',
    ]);
    const created = await browser.press('/organizations/new', { name: 'Analytical Engines' });
    expect(created.location).toMatch(/\/organizations\/[\w-]{36}\?done=orgCreated$/);
    const page = textOf(await browser.follow());
    expect(page).toContain('Analytical Engines');
    expect(page).toContain('Organization created.');
    expect(textOf(await open('/organizations'))).toContain('Owner');
  });

  it('an owner invites, changes roles and removes members', async () => {
    const { browser, member, open, orgId, path, site } = await openOrganization();
    await open(`${path}/invite`);
    const email = site.uniqueEmail();
    const invited = await browser.press('/invite', { email, role: 'admin' });
    expect(invited.location).toBe(`${accountPath}${path}?done=invited`);
    expect(textOf(await browser.follow())).toContain(email);
    expect(site.mail.lastLink(email)).toBeDefined();
    const [invite] = await site.service.orgs.listInvites(orgId);
    await open(`${path}/invites/${invite?.id}/revoke`);
    expect((await browser.press('/revoke')).status).toBe(303);
    expect(await site.service.orgs.listInvites(orgId)).toEqual([]);
    const userId = member.account.user.id as string;
    await open(`${path}/members/${userId}/role`);
    await browser.press('/role', { role: 'admin' });
    expect(await site.service.orgs.roleOf(orgId, userId)).toBe('admin');
    await open(`${path}/members/${userId}/remove`);
    expect((await browser.press('/remove')).location).toBe(`${accountPath}${path}?done=memberRemoved`);
    expect(await site.service.orgs.roleOf(orgId, userId)).toBeNull();
  });

  it('every change says which organization it is about, and leads back to it', async () => {
    const { browser, open, path, member } = await openOrganization();
    const members = `${path}/members/${member.account.user.id as string}`;
    const back = new RegExp(`class="parent" href="${accountPath}${path}"><bdi>Engines</bdi>`);
    for (const change of ['edit', 'invite', 'keys/new', 'leave', 'delete'])
      expect((await open(`${path}/${change}`)).text).toMatch(back);
    for (const change of ['role', 'remove']) expect((await open(`${members}/${change}`)).text).toMatch(back);
    await open(`${path}/keys/new`);
    expect((await browser.press('/keys/new', { name: 'Backup' })).text).toMatch(back);
  });

  it('an owner creates and revokes keys of the organization', async () => {
    const { browser, open, orgId, path, site } = await openOrganization();
    await open(`${path}/keys/new`);
    const created = await browser.press('/keys/new', { name: 'CI', days: '' });
    const key = /id="new-key"[^>]*>([^<]*)</.exec(created.text)?.[1] ?? '';
    const record = await site.service.apiKeys.verify(key);
    expect(record).toMatchObject({ orgId, name: 'CI' });
    await open(`${path}/keys/${record.id}/revoke`);
    await browser.press('/revoke');
    await expect(site.service.apiKeys.verify(key)).rejects.toMatchObject({ code: 'api_key_invalid' });
  });

  it('a member sees no addresses, invitations, keys or buttons of admins', async () => {
    const { me, member, path } = await openOrganization();
    const page = await member.browser.get(accountPath + path);
    expect(page.status).toBe(200);
    const text = textOf(page);
    expect(text).not.toContain(me.email);
    for (const absent of ['Invite', 'API keys', 'Change role', 'Delete organization'])
      expect(text).not.toContain(absent);
    expect(text).toContain('Leave organization');
    for (const form of ['/invite', '/keys/new', '/delete'])
      expect([form, (await member.browser.get(accountPath + path + form)).status]).toEqual([form, 404]);
  });

  it('the forms of a member change nothing that needs a role', async () => {
    const scene = await openOrganization();
    const { me, member, orgId, path, site } = scene;
    const ownerId = me.user.id as string;
    const userId = member.account.user.id as string;
    const attempts: [string, Record<string, string>][] = [
      [`${path}/members/${userId}/role`, { role: 'owner' }],
      [`${path}/members/${ownerId}/remove`, {}],
      [`${path}/invite`, { email: 'eve@example.com', role: 'member' }],
      [`${path}/keys/new`, { name: 'Eve', days: '' }],
      [`${path}/delete`, { phrase: 'Engines', confirmation: 'Engines' }],
    ];
    for (const [form, fields] of attempts) {
      const refused = await send(scene, member.browser, member.account.cookie, form, fields);
      expect([form, refused.status >= 400]).toEqual([form, true]);
    }
    expect(await site.service.orgs.roleOf(orgId, userId)).toBe('member');
    expect(await site.service.orgs.listMembers(orgId)).toHaveLength(2);
    expect(await site.service.orgs.listInvites(orgId)).toEqual([]);
    expect(await site.service.apiKeys.list({ orgId })).toEqual([]);
  });

  it('a stranger cannot distinguish an organization from one that does not exist', async () => {
    const scene = await openOrganization();
    const { path, stranger } = scene;
    for (const form of ['', '/invite', '/leave', '/delete', '/keys/new']) {
      const real = await stranger.browser.get(accountPath + path + form);
      const unreal = await stranger.browser.get(`${accountPath}/organizations/${unknownId}${form}`);
      expect([form, real.status, unreal.status]).toEqual([form, 404, 404]);
      expect(textOf(unreal)).toBe(textOf(real));
    }
    const fields = { phrase: 'Engines', confirmation: 'Engines' };
    const { browser, account } = stranger;
    const real = await send(scene, browser, account.cookie, `${path}/delete`, fields);
    const unreal = await send(scene, browser, account.cookie, `/organizations/${unknownId}/delete`, fields);
    expect(unreal.status).toBe(real.status);
    expect(textOf(unreal)).toBe(textOf(real));
  });

  it('a member leaves, and the last owner cannot', async () => {
    const { browser, me, member, open, orgId, path, site } = await openOrganization();
    await member.browser.get(`${accountPath}${path}/leave`);
    expect((await member.browser.press('/leave')).location).toBe(`${accountPath}/organizations?done=orgLeft`);
    await open(`${path}/leave`);
    expect(errorsOf(await browser.press('/leave'))).toEqual([
      'You’re the last owner of an organization. Make another member an owner, or delete it, first.',
    ]);
    expect(await site.service.orgs.roleOf(orgId, me.user.id as string)).toBe('owner');
  });

  it('an owner deletes the organization after its name was typed in', async () => {
    const { browser, open, orgId, path, site } = await openOrganization();
    await open(`${path}/delete`);
    expect(errorsOf(await browser.press('/delete', { confirmation: 'engines' }))).toEqual([
      'confirmation: The text doesn’t match.',
    ]);
    expect((await browser.press('/delete', { confirmation: 'Engines' })).location).toBe(
      `${accountPath}/organizations?done=orgDeleted`,
    );
    expect(await site.service.orgs.get(orgId)).toBeNull();
  });

  it('an unknown role is refused, and nothing changes', async () => {
    const { browser, member, open, orgId, path, site } = await openOrganization();
    const userId = member.account.user.id as string;
    await open(`${path}/members/${userId}/role`);
    const refused = await browser.press('/role', { role: 'emperor' });
    expect(refused.status).toBe(422);
    expect(await site.service.orgs.roleOf(orgId, userId)).toBe('member');
  });
});
