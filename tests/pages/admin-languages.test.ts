// The admin pages are in the language and in the time zone of their reader.
import express from 'express';
import { memoryAdapter } from 'svc-auth';
import { pages } from '../../src/admin/pages.js';
import { builtInAdminPages } from '../../src/admin/texts/built-in.js';
import { en } from '../../src/admin/texts/en.js';
import { openAdminPages, pagesPath, unescaped, type AdminScene } from '../support/admin-pages.js';
import { openSite } from '../support/http-site.js';
import { unknownId } from '../support/make-pro-service.js';
import { createRecords, everything } from '../http/suites/admin-scenes.js';

/** Has two words, so that it is a sentence of English and not a name. */
const isSentence = (text: string) => /[a-z]+ [a-z]+/i.test(text);

function sentencesOf(texts: object): string[] {
  return Object.values(texts).flatMap((each: unknown) => {
    if (typeof each === 'string') return isSentence(each) ? [each] : [];
    return typeof each === 'object' && each !== null ? sentencesOf(each) : [];
  });
}

const english = [...new Set(sentencesOf(en))];
const languages = [...builtInAdminPages.keys()];

let scene: AdminScene;
beforeEach(async () => {
  scene = await openAdminPages((options) => openSite(express, memoryAdapter(), options), {
    site: { pro: true, service: everything() },
  });
  const { service } = scene.site;
  await service.users.update(scene.target.user.id as string, { emailVerified: true });
  await createRecords(scene.site, scene.target.user.id as string);
  await service.users.update(scene.target.user.id as string, {
    roles: ['support'],
    metadata: { plan: 'pro' },
  });
});
afterEach(() => scene.site.close());

const read = (path: string, cookie: string, headers: Record<string, string> = {}) =>
  scene.get(path, { cookie: `${scene.me.cookie}; ${cookie}`, headers });

function pathsOf(): string[] {
  const id = scene.target.user.id as string;
  const paths = pages.map(({ path }) => path.replace(':id', id).replace(/:(item|client|secret)/g, unknownId));
  return [
    ...paths,
    '/users?search=nobody',
    '/users?role=No+Role',
    '/users?cursor=x',
    '/users?blocked=yes',
    '/none',
  ];
}

const textOf = (page: string) => unescaped(page.replace(/<[^>]*>/g, '\n')).replace(/\s+/g, ' ');
const htmlTag = (page: string) => /<html[^>]*>/.exec(page)?.[0];

it.each(languages)(
  'every page in %s names the language and has no sentence of another one',
  async (language) => {
    const own = await builtInAdminPages.get(language)!();
    const known = new Set(sentencesOf(own));
    const foreign = english.filter((sentence) => !known.has(sentence));
    for (const path of pathsOf()) {
      const page = await read(path, `svc_language=${language}`, { Accept: 'text/html' });
      if (page.headers['content-type']?.startsWith('text/csv')) continue;
      expect([path, htmlTag(page.text)]).toEqual([path, `<html lang="${language}" dir="${own.direction}">`]);
      const shown = textOf(page.text);
      expect([path, foreign.filter((sentence) => shown.includes(sentence))]).toEqual([path, []]);
    }
  },
);

it('a refused form is shown in the language of its reader', async () => {
  const page = await read(`${scene.path}/address`, 'svc_language=en');
  const formToken = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  for (const language of languages) {
    const { errors } = await builtInAdminPages.get(language)!();
    const refused = await scene.post(
      `${scene.path}/roles`,
      { form_token: formToken, updated_at: new Date(0).toISOString(), roles: 'No Role' },
      { cookie: `${scene.me.cookie}; svc_language=${language}` },
    );
    expect([language, refused.status, unescaped(refused.text).includes(errors.roles)]).toEqual([
      language,
      422,
      true,
    ]);
  }
});

it('the language of the account comes before that of the cookie, and that one before Accept-Language', async () => {
  const german = { 'Accept-Language': 'de, en;q=0.5' };
  const langOf = async (cookie: string, headers = {}) =>
    /lang="([^"]+)"/.exec((await read('/users', cookie, headers)).text)?.[1];
  expect(await langOf('x=y')).toBe('en');
  expect(await langOf('x=y', german)).toBe('de');
  expect(await langOf('svc_language=en', german)).toBe('en');
  await scene.site.service.account.setLanguage({ userId: scene.me.user.id as string, language: 'fr' });
  expect(await langOf('svc_language=en', german)).toBe('fr');
  const refused = await read(`/users/${unknownId}`, 'svc_language=en');
  expect([refused.status, htmlTag(refused.text)]).toEqual([404, '<html lang="fr" dir="ltr">']);
});

it('the menu keeps the language in the cookie, and in the account if that has one', async () => {
  const page = await read('/users/invite', 'x=y');
  const formToken = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const choose = (fields: Record<string, string>) =>
    scene.post('/language', { form_token: formToken, to: '/users?sort=oldest', ...fields });
  const chosen = await choose({ language: 'en' });
  expect([chosen.status, chosen.location]).toEqual([303, `${pagesPath}/users?sort=oldest`]);
  expect(chosen.cookies.find(({ name }) => name === 'svc_language')?.value).toBe('en');
  const { account } = scene.site.service;
  const userId = scene.me.user.id as string;
  expect((await scene.site.adapter.users.findById(userId))?.language).toBeNull();
  await account.setLanguage({ userId, language: 'fr' });
  const again = await choose({ language: 'en' });
  expect([again.status, again.location, again.text]).toEqual([303, `${pagesPath}/users?sort=oldest`, '']);
  expect((await scene.site.adapter.users.findById(userId))?.language).toBe('en');
  for (const to of ['//evil.test', 'https://evil.test', '/\\evil.test', ''])
    expect((await choose({ language: 'en', to })).location).toBe(`${pagesPath}/users`);
  const unknown = await choose({ language: 'xx' });
  expect([unknown.location, unknown.cookies]).toEqual([`${pagesPath}/users`, []]);
  expect((await scene.post('/language', { language: 'en' })).status).toBe(403);
});

describe('the time zone of the viewer', () => {
  const timeOn = (page: string) => /<time datetime="([^"]+)" data-show="time">([^<]*)<\/time>/.exec(page);

  it('is that of the cookie, which the page names', async () => {
    const page = (await read(scene.path, 'svc_zone=Asia/Tokyo')).text;
    const [, iso = '', shown] = timeOn(page)!;
    const format = new Intl.DateTimeFormat('en', {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: 'Asia/Tokyo',
    });
    expect(unescaped(shown!)).toBe(format.format(new Date(iso)));
    expect(page).toContain('<bdi data-zone>Asia/Tokyo</bdi>');
  });

  it.each(['Mars/Olympus', '+01:00', '../etc/passwd', '"><script>', 'x'.repeat(500), ''])(
    'is UTC if the cookie is %s',
    async (zone) => {
      const page = (await read(scene.path, `svc_zone=${zone}`)).text;
      expect(timeOn(page)?.[2]).toMatch(/ UTC$/);
      expect(page).toContain('<bdi data-zone>UTC</bdi>');
      expect(page).not.toMatch(/Olympus|passwd|"><script>/);
    },
  );

  it('is that of a typed end of a block, which the form names', async () => {
    const { id } = scene.target.user as { id: string };
    const form = await read(`${scene.path}/block`, 'svc_zone=America/New_York');
    expect(form.text).toContain('<bdi data-zone>America/New_York</bdi>');
    const formToken = /name="form_token" value="([^"]+)"/.exec(form.text)?.[1] ?? '';
    const block = (until: string, zone: string) =>
      scene.post(`${scene.path}/block`, { form_token: formToken, length: 'time', until, zone });
    expect((await block('2099-07-01T12:00', 'America/New_York')).status).toBe(303);
    expect((await scene.site.service.users.get(id)).blocked?.until).toEqual(new Date('2099-07-01T16:00Z'));
    await scene.site.service.users.unblock(id);
    expect((await block('2099-07-01T12:00', 'Mars/Olympus')).status).toBe(303);
    expect((await scene.site.service.users.get(id)).blocked?.until).toEqual(new Date('2099-07-01T12:00Z'));
  });
});
