// Identity providers on the pages: their names, logos and order.
// cspell:ignore Contoso contoso
import express from 'express';
import { createAuthRouter, createProRouter } from 'svc-auth';
import { createPages, type PagesOptions } from 'svc-auth/pages';
import request from 'supertest';
import { callbackUrl, encryptionKey } from '../support/every-provider.js';
import { license } from '../support/make-pro-service.js';
import { makeService } from '../support/make-service.js';

const client = {
  clientId: 'client',
  clientSecret: 'secret',
  authorizationEndpoint: 'https://idp.test/authorize',
  tokenEndpoint: 'https://idp.test/token',
  userInfoEndpoint: 'https://idp.test/me',
};

async function pageWith(names: readonly string[], options: Partial<PagesOptions> = {}, path = '/sign-in') {
  const { service } = await makeService({
    ...license,
    encryptionKey,
    providers: {
      emailPassword: { sender: { send: async () => undefined } },
      oauth: Object.fromEntries(
        names.map((name) => [name, { ...client, redirectUri: callbackUrl(`/oauth/${name}`) }]),
      ),
    },
  });
  const app = express();
  app.use('/api/auth', createAuthRouter(service), createProRouter(service));
  app.use(createPages(service, { name: 'Acme', ...options }));
  const { text } = await request(app).get(path).expect(200);
  await service.close();
  return text;
}

const presets = ['github', 'gitlab', 'microsoft', 'apple', 'discord'];
const mostUsed = ['facebook', 'linkedin', 'x', 'slack', 'twitch', 'spotify', 'amazon', 'notion'];

/** The buttons of the providers, as `[name, first element]`. */
function buttons(page: string): [string, string][] {
  const links = page.match(/<a\s[^>]*\/oauth\/[^]*?<\/a\s*>/g) ?? [];
  return links.map((link) => {
    const content = link.replace(/^<a[^>]*>/, '');
    const name = content
      .replace(/<(span)[^>]*aria-hidden="true"[^>]*>[^]*?<\/\1>|<[^>]+>/g, '')
      .replace(/\s+/g, ' ');
    return [name.trim(), /<(\w+)/.exec(content)?.[1] ?? ''];
  });
}

it('the presets and the most used providers have the spelling and the logo of their brand', async () => {
  const shown = buttons(await pageWith([...presets, ...mostUsed]));
  expect(shown).toEqual(
    [
      ...['GitHub', 'GitLab', 'Microsoft', 'Apple', 'Discord'],
      ...['Facebook', 'LinkedIn', 'X', 'Slack', 'Twitch', 'Spotify', 'Amazon', 'Notion'],
    ].map((name) => [`Continue with ${name}`, 'svg']),
  );
});

it('another provider has its capitalized name and its first letter', async () => {
  const page = await pageWith(['orbit', 'constructor']);
  expect(buttons(page)).toEqual([
    ['Continue with Orbit', 'span'],
    ['Continue with Constructor', 'span'],
  ]);
  expect(page).toContain('<span class="icon letter" aria-hidden="true">O</span>');
});

it('the application gives providers a name and an icon: an image of its site, or the logo of a brand', async () => {
  const providers = {
    contoso: { label: 'Contoso & Co.', icon: '/contoso.svg' },
    work: { label: 'GitLab at work', icon: 'gitlab' },
    github: { label: 'GitHub Enterprise' },
  };
  const page = await pageWith(Object.keys(providers), { providers });
  expect(buttons(page)).toEqual([
    ['Continue with Contoso &#38; Co.', 'img'],
    ['Continue with GitLab at work', 'svg'],
    ['Continue with GitHub Enterprise', 'svg'],
  ]);
  expect(page).toContain('<img class="icon" src="/contoso.svg" alt=""');
});

it.each(['/sign-in', '/sign-up'])('on %s, up to three providers are above the address', async (path) => {
  const page = await pageWith(presets.slice(0, 3), {}, path);
  expect(page).not.toContain('providers many');
  expect(page.indexOf('/oauth/github')).toBeLessThan(page.indexOf('id="field-email"'));
});

it.each(['/sign-in', '/sign-up'])(
  'on %s, four or more are a grid below the address, with their whole names for screen readers',
  async (path) => {
    const page = await pageWith(presets.slice(0, 4), {}, path);
    expect(page).toContain('<ul class="providers many">');
    expect(page.indexOf('/oauth/github')).toBeGreaterThan(page.indexOf('id="field-email"'));
    expect(buttons(page).map(([name]) => name)).toEqual(
      ['GitHub', 'GitLab', 'Microsoft', 'Apple'].map((name) => `Continue with ${name}`),
    );
  },
);

it('the list of providers has one entry each, also if the page asks how long to stay signed in', async () => {
  const page = await pageWith(presets, { rememberMe: true });
  expect(page.match(/<li>/g)).toHaveLength(presets.length);
  expect(buttons(page)).toHaveLength(2 * presets.length);
});
