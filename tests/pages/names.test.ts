// Names and pictures in the account: of the user, of members and of organizations.
// cspell:ignore Suppοrt
import { accountPagesOpener, accountPath, errorsOf, textOf } from '../support/account-pages.js';
import type { HttpResponse } from '../support/http-client.js';

const openAccount = accountPagesOpener();
const cdn = 'https://pictures.example.com/';
const profiles = { pictures: [cdn, '/avatars/'] };

/** The content of the header of a page, without its markup. */
const headerOf = ({ text }: HttpResponse) =>
  textOf({
    text: `<body>${/<div class="who">[^]*?<\/div>/.exec(text)?.[0] ?? ''}</body>`,
  } as HttpResponse).trim();
const imagesOf = ({ text }: HttpResponse) =>
  [...text.matchAll(/<img\s[^>]*src="([^"]*)"[^>]*>/g)].map(([tag, src]) => ({ tag, src }));
const policyOf = (page: HttpResponse, directive: string) =>
  String(page.headers['content-security-policy'])
    .split('; ')
    .find((each) => each.startsWith(`${directive} `));

describe('The name of a user', () => {
  it('is typed in on the profile, and shown in the header and the profile with its initials', async () => {
    const { browser, me, open, site } = await openAccount();
    expect(headerOf(await open('/profile'))).toBe(`${me.email[0]?.toUpperCase()} ${me.email} Sign out`);
    const changed: unknown[] = [];
    site.service.on('profile.changed', (payload) => changed.push(payload));
    await open('/profile/name');
    const saved = await browser.press('/profile/name', { name: '  Ada Lovelace ' });
    expect(saved.location).toBe(`${accountPath}/profile?done=profile`);
    const page = await browser.follow();
    expect(headerOf(page)).toBe('AL Ada Lovelace Sign out');
    expect(textOf(page)).toContain('Profile saved.');
    expect(textOf(page)).toContain(`Ada Lovelace ${me.email} Edit`);
    expect(changed).toEqual([{ userId: me.user.id }]);
    await open('/profile/name');
    await browser.press('/profile/name', { name: '' });
    expect(headerOf(await browser.follow())).toContain(me.email);
    expect((await site.service.users.get(me.user.id as string)).metadata).not.toHaveProperty('name');
  });

  it.each([
    ['x'.repeat(101), 'name: Enter a name of at most 100 characters.'],
    ['Ada\u202e', null],
    ['boss@acme.test', 'name: A name can’t contain an email address or a link.'],
    ['See https://evil.test', 'name: A name can’t contain an email address or a link.'],
    ['Suppοrt', 'name: This name is reserved. Choose another one.'],
  ])('%j is answered by %j', async (name, error) => {
    const { browser, open } = await openAccount();
    await open('/profile/name');
    const answer = await browser.press('/profile/name', { name });
    expect([answer.status, errorsOf(answer)]).toEqual(error === null ? [303, []] : [422, [error]]);
  });

  it('that a provider has sent is shown as one line without controls of direction', async () => {
    const { me, open, site } = await openAccount();
    const mergeMetadata = { name: 'Ada\u202e\n<b>Lovelace</b>' };
    await site.service.users.update(me.user.id as string, { mergeMetadata });
    const page = await open('/profile');
    expect(headerOf(page)).toBe('AB Ada <b>Lovelace</b> Sign out');
    expect(page.text).not.toContain('<b>');
  });

  it('that the pages do not show stays stored if only the picture is changed', async () => {
    const { browser, me, open, site } = await openAccount({ site: { service: { profiles } } });
    const userId = me.user.id as string;
    const name = { first: 'Ada', last: 'Lovelace' };
    await site.service.users.update(userId, { mergeMetadata: { name } });
    await open('/profile/name');
    const saved = await browser.press('/profile/name', { picture: '/avatars/ada.png' });
    expect(saved.status).toBe(303);
    const { metadata } = await site.service.users.get(userId);
    expect(metadata).toMatchObject({ name, picture: '/avatars/ada.png' });
  });

  it('can neither be changed nor offers it if profiles.editable is false', async () => {
    const { open, browser, site, me } = await openAccount({
      site: { service: { profiles: { editable: false } } },
    });
    expect((await open('/profile')).text).not.toContain('/profile/name');
    expect((await browser.get(`${accountPath}/profile/name`)).status).toBe(404);
    const refused = await site.send('PATCH', '/account/profile', { name: 'Ada' }, { cookie: me.cookie });
    expect(refused.json).toMatchObject({ error: 'provider_not_configured' });
  });

  it('is replaced by the masked number in the header of a phone account', async () => {
    const { browser, site } = await openAccount();
    const phone = '+4915112345678';
    await site.service.phoneOtp.sendCode({ phone });
    const code = site.sms.lastCode(phone)!;
    const { session } = await site.service.phoneOtp.verify({ phone, code }, { startSession: true });
    browser.forget();
    browser.adopt(`svc_session=${session!.token}`);
    const page = await browser.get(`${accountPath}/profile`);
    expect(headerOf(page)).toBe('4 +49*********78 Sign out');
    expect(page.text).not.toContain(phone);
  });

  it('of a guest can be set, and is what the header shows', async () => {
    const { browser, site } = await openAccount();
    const { token } = await site.service.sessionsProvider.createGuest();
    browser.forget();
    browser.adopt(`svc_session=${token}`);
    expect(headerOf(await browser.get(`${accountPath}/profile/name`))).toBe('You’re a guest Sign out');
    await browser.press('/profile/name', { name: 'Player One' });
    expect(headerOf(await browser.follow())).toBe('PO Player One Sign out');
  });
});

describe('The picture of a user', () => {
  it('is shown from an allowed place, which the policy of the account allows and no other', async () => {
    const { browser, open, me, site } = await openAccount({ site: { service: { profiles } } });
    expect(imagesOf(await open('/profile'))).toEqual([]);
    await open('/profile/name');
    const picture = `${cdn}ada.jpg?s=96`;
    await browser.press('/profile/name', { name: 'Ada', picture });
    const page = await browser.follow();
    const images = imagesOf(page);
    expect(images.map(({ src }) => src)).toEqual([picture, picture]);
    for (const { tag } of images)
      for (const attribute of ['alt=""', 'width="', 'height="', 'referrerpolicy="no-referrer"'])
        expect(tag).toContain(attribute);
    expect(policyOf(page, 'img-src')).toBe(`img-src 'self' ${cdn}`);
    expect(policyOf(page, 'script-src')).toBe("script-src 'self'");
    expect(policyOf(await browser.get('/app/sign-in'), 'img-src')).toBe("img-src 'self'");
    const { metadata } = await site.service.users.get(me.user.id as string);
    expect(metadata).toMatchObject({ name: 'Ada', picture });
  });

  it.each([
    'https://evil.test/a.png',
    `${cdn}../`,
    '/account/sign-out',
    '/avatars/../sign-out',
    'javascript:1',
  ])('is refused from another place: %s', async (picture) => {
    const { browser, open, me, site } = await openAccount({ site: { service: { profiles } } });
    await open('/profile/name');
    const refused = await browser.press('/profile/name', { name: 'Ada', picture });
    expect(errorsOf(refused)).toEqual(['picture: Pictures from this address aren’t allowed.']);
    const route = await site.send('PATCH', '/account/profile', { picture }, { cookie: me.cookie });
    expect(route.json).toMatchObject({ error: 'invalid_request', reason: 'picture_source' });
  });

  it('of another place, which a provider has sent, is not shown and stays stored', async () => {
    const { browser, open, me, site } = await openAccount({ site: { service: { profiles } } });
    const userId = me.user.id as string;
    const picture = 'https://elsewhere.example.com/ada.jpg';
    await site.service.users.update(userId, { mergeMetadata: { name: 'Ada', picture } });
    expect((await open('/profile/name')).text).not.toContain(picture);
    await browser.press('/profile/name', { name: 'Ada Lovelace' });
    expect(imagesOf(await browser.follow())).toEqual([]);
    expect((await site.service.users.get(userId)).metadata).toMatchObject({ name: 'Ada Lovelace', picture });
  });

  it('can by default not be typed in', async () => {
    const { open } = await openAccount();
    const page = await open('/profile/name');
    expect(page.text).not.toContain('name="picture"');
    expect(policyOf(page, 'img-src')).toBe("img-src 'self'");
  });
});

describe('An organization', () => {
  async function openOrg() {
    const scene = await openAccount({ byCode: true, site: { service: { profiles } } });
    const { another, me, site } = scene;
    const ownerId = me.user.id as string;
    const { org } = await site.service.orgs.create({ name: 'Analytical Engines', ownerUserId: ownerId });
    const member = await another();
    const memberId = member.account.user.id as string;
    await site.service.orgs.addMember(org.id, memberId, 'member');
    return { ...scene, ownerId, member, memberId, org, path: `/organizations/${org.id}` };
  }

  it('is renamed by an admin, with its logo, and keeps its slug', async () => {
    const { browser, open, org, path, site } = await openOrg();
    const page = await open(path);
    expect(textOf(page)).toContain('AE Analytical Engines Short name: analytical-engines Edit organization');
    await open(`${path}/edit`);
    const empty = await browser.press('/edit', { name: ' ', picture: '' });
    expect(errorsOf(empty)).toEqual(['name: Enter a name of at most 100 characters.']);
    const away = await browser.press('/edit', { name: 'Engines', picture: 'https://evil.test/logo.png' });
    expect(errorsOf(away)).toEqual(['picture: Pictures from this address aren’t allowed.']);
    const saved = await browser.press('/edit', { name: 'Engines & Co', picture: '/avatars/logo.svg' });
    expect(saved.location).toBe(`${accountPath}${path}?done=orgSaved`);
    const renamed = await browser.follow();
    expect(textOf(renamed)).toContain('Organization saved.');
    expect(imagesOf(renamed).map(({ src }) => src)).toEqual(['/avatars/logo.svg']);
    expect(await site.service.orgs.get(org.id)).toMatchObject({
      name: 'Engines & Co',
      slug: 'analytical-engines',
      metadata: { picture: '/avatars/logo.svg' },
    });
    expect(textOf(await open('/organizations'))).toContain('Engines & Co');
  });

  it('cannot be renamed by a member or a stranger, who see no form', async () => {
    const { another, member, org, path, site } = await openOrg();
    const stranger = await another();
    for (const { account, browser } of [member, stranger]) {
      expect((await browser.get(`${accountPath}${path}/edit`)).status).toBe(404);
      const options = { cookie: account.cookie };
      const refused = await site.send('PATCH', `/orgs/${org.id}`, { name: 'Mine' }, options);
      expect([refused.status, refused.json.error]).toEqual([403, 'not_authorized']);
    }
    expect(await site.service.orgs.get(org.id)).toMatchObject({ name: 'Analytical Engines' });
  });

  it('lists members by their names, and their addresses only to admins', async () => {
    const { me, member, memberId, open, ownerId, path, site } = await openOrg();
    const { users } = site.service;
    await users.update(ownerId, { mergeMetadata: { name: 'Ada Lovelace' } });
    await users.update(memberId, { mergeMetadata: { name: '山田 太郎', picture: '/avatars/taro.png' } });
    const seenByOwner = await open(path);
    expect(textOf(seenByOwner)).toContain(`山 山田 太郎 ${member.account.email} · Member`);
    expect(imagesOf(seenByOwner).map(({ src }) => src)).toEqual(['/avatars/taro.png']);
    const seenByMember = textOf(await member.browser.get(accountPath + path));
    expect(seenByMember).toContain('AL Ada Lovelace Owner');
    expect(seenByMember).not.toContain(me.email);
    const removal = await open(`${path}/members/${memberId}/remove`);
    expect(textOf(removal)).toContain(`山田 太郎 (${member.account.email})`);
  });

  it('does not offer its only owner to leave, and says what to do', async () => {
    const { member, memberId, open, org, path, site } = await openOrg();
    const only = await open(path);
    expect(textOf(only)).toContain('You’re the only owner. To leave, make another member an owner first.');
    expect(only.text).not.toContain(`${path}/leave"`);
    expect((await member.browser.get(accountPath + path)).text).toContain(`${path}/leave"`);
    await site.service.orgs.setRole(org.id, memberId, 'owner');
    expect((await open(path)).text).toContain(`${path}/leave"`);
  });
});
