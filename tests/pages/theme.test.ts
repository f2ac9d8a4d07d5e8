// The brand of an application on the pages: name, logo, colors, font and slots.
// cspell:ignore Acent drak lihgt
import { readFileSync } from 'node:fs';
import express from 'express';
import { createPages, html, type PagesOptions } from 'svc-auth/pages';
import { contrast, rgb } from '../../src/domain/color.js';
import { variableOf } from '../../src/pages-kit/tokens.js';
import { resolveBrand } from '../../src/core/support/brand.js';
import { brandOf, type ThemeColors } from '../../src/pages/theme-options.js';
import { openSite } from '../support/http-site.js';
import { makeService } from '../support/make-service.js';
import { errorOf } from '../support/outcomes.js';
import { pageVisitor } from '../support/page-visitor.js';

const serviceBrand = resolveBrand({}, 'Acme');
const lookOf = (options: PagesOptions) => brandOf(options, serviceBrand);

async function signInPage(options: PagesOptions | undefined, config: object = {}) {
  const site = await openSite(express, undefined, {
    service: config,
    after: (app, { service }) => void app.use('/app', createPages(service, options)),
  });
  const browser = pageVisitor(site);
  const page = await browser.get('/app/sign-in');
  const [, file = ''] = /href="(\/app\/assets\/pages-[^"]+)"/.exec(page.text) ?? [];
  const { text: sheet } = await browser.get(file);
  const logged = site.log.map(({ level, message, fields }) => [level, message, fields] as const);
  await site.close();
  const warnings = logged.flatMap(([level, message]) =>
    level === 'warn' && message.includes('contrast') ? [message] : [],
  );
  const errors = logged.flatMap(([level, , { err }]) =>
    level === 'error' ? [(err as { message: string }).message] : [],
  );
  return { page, text: page.text, sheet, warnings, errors };
}

describe('an option of the brand that is wrong', () => {
  it.each([
    [{ theme: { lihgt: {} } }, 'theme.lihgt', 'did you mean light?'],
    [{ theme: { light: { onAcent: '#ffffff' } } }, 'theme.light.onAcent', 'did you mean onAccent?'],
    [{ theme: { dark: { '--page': '#000000' } } }, 'theme.dark.--page', 'did you mean page?'],
    [{ theme: { light: { page: 'red' } } }, 'theme.light.page', 'must be a color such as #1f6b4f'],
    [{ theme: { light: { page: '#fff; } body { display: none' } } }, 'theme.light.page', 'must be a color'],
    [{ theme: { light: { shadow: 'none; } body { x: y' } } }, 'theme.light.shadow', 'must be a shadow'],
    [{ theme: { light: { shadow: '0 0 0 url(//evil.test)' } } }, 'theme.light.shadow', 'must be a shadow'],
    [{ theme: null }, 'theme', 'must be an object'],
    [{ theme: { light: null } }, 'theme.light', 'must be an object'],
    [{ colorScheme: 'sepia' }, 'colorScheme', 'must be light, dark or light dark'],
    [{ logo: { light: '/logo.svg' } }, 'logo.dark', 'must be a path'],
    [{ logo: { light: '/a.svg', dark: '/b.svg', drak: '/c.svg' } }, 'logo.drak', 'did you mean dark?'],
    [{ logo: 'http://cdn.test/logo.svg' }, 'logo', 'must be a path that starts with one /, or an https URL'],
    [{ icon: 'icon.svg' }, 'icon', 'must be a path'],
    [{ stylesheet: 'https://cdn.test/brand.css' }, 'stylesheet', 'must be a path'],
    [{ radius: '4' }, 'radius', 'must be a length such as 4px'],
    [{ logoHeight: 'calc(1px)' }, 'logoHeight', 'must be a length'],
    [{ font: 'Inter; } * { color: red' }, 'font', 'must be names of fonts'],
    [{ font: '"Inter, serif' }, 'font', 'must be names of fonts'],
    [{ font: 'url(/x.woff2)' }, 'font', 'must be names of fonts'],
    [{ accent: 'hotpink' }, 'accent', 'must be a color such as #1f6b4f'],
    [{ name: ' ' }, 'name', 'must be a string that is not empty'],
  ] as [object, string, string][])('%j is config_invalid, at its path', async (options, path, message) => {
    const { service } = await makeService();
    const error = await errorOf(() => createPages(service, options));
    expect(error.code).toBe('config_invalid');
    expect(error.message).toContain(`createPages(service, { ${path} })`);
    expect(error.message).toContain(message);
  });
});

describe('the colors of a brand', () => {
  it.each([
    ['black', '#000000', '#ffffff', '#f4f5f7'],
    ['nearly black', '#111111', '#ffffff', '#f4f5f7'],
    ['yellow', '#ffe600', '#10131a', '#ffe600'],
    ['pastel', '#ffd6e0', '#10131a', '#ffd6e0'],
    ['green', '#1f6b4f', '#ffffff', '#1f6b4f'],
  ])(
    'a button keeps the %s of the brand, in the dark if it is seen there',
    (_name, accent, onAccent, dark) => {
      const { colors } = lookOf({ accent });
      expect(colors.light).toMatchObject({ accent, onAccent });
      expect(colors.dark.accent).toBe(dark);
    },
  );

  it('text, links and the focus can be seen with every accent, in light and dark', () => {
    const steps = [0, 51, 102, 153, 204, 255].map((part) => part.toString(16).padStart(2, '0'));
    const accents = steps.flatMap((r) => steps.flatMap((g) => steps.map((b) => `#${r}${g}${b}`)));
    for (const accent of accents) {
      const { colors } = lookOf({ accent, theme: { light: { page: '#fff3c4' }, dark: { card: '#2a2f3a' } } });
      for (const { page, card, ...each } of [colors.light, colors.dark]) {
        const seen = (color: string) =>
          Math.min(...[page, card].map((ground) => contrast(rgb(color), rgb(ground))));
        expect([accent, contrast(rgb(each.onAccent), rgb(each.accent)) >= 4.5]).toEqual([accent, true]);
        expect([accent, seen(each.link) >= 4.5]).toEqual([accent, true]);
        expect([accent, seen(each.focus) >= 3]).toEqual([accent, true]);
      }
    }
  });

  it('a yellow stays yellow on the button, and only its links are darkened', () => {
    const { light } = lookOf({ accent: '#ffe600' }).colors;
    expect(light.accent).toBe('#ffe600');
    expect(light.link).not.toBe('#ffe600');
  });

  it('what the theme sets is used as it is, and the rest follows it', () => {
    const { colors } = lookOf({
      accent: '#1f6b4f',
      theme: {
        light: { accent: '#ff6b00', onAccent: '#ffffff', page: '#fff7ea' },
        dark: { accent: '#000000' },
      },
    });
    expect(colors.light).toMatchObject({ accent: '#ff6b00', onAccent: '#ffffff' });
    expect(colors.dark).toMatchObject({ accent: '#000000', onAccent: '#ffffff' });
    // Between the page and its text, and not the bluish one of the package.
    expect(colors.light.sunk).toBe('#faf3e6');
  });

  it('colors between a ground and its text follow a stylesheet of the application', () => {
    const { tokens } = lookOf({ theme: { light: { sunk: '#eeeeee' } } });
    expect(tokens).toContain('--current: color-mix(in srgb, var(--page), var(--text) 5%);');
    expect(tokens).not.toContain('--sunk: color-mix(in srgb, var(--page), var(--text) 2%);');
    expect(tokens).toContain('--sunk: #eeeeee;');
  });

  it.each([
    ['light', 0, 'color-scheme: light;'],
    ['dark', 0, 'color-scheme: dark;'],
    ['light dark', 2, 'color-scheme: light dark;'],
  ] as const)(
    'pages that are %s do not ask the system for another scheme',
    (colorScheme, queries, property) => {
      const { tokens } = lookOf({ colorScheme, theme: { dark: { page: '#020304' } } });
      expect(tokens.match(/prefers-color-scheme/g) ?? []).toHaveLength(queries);
      expect(tokens).toContain(property);
      expect(tokens.includes('--page: #020304;')).toBe(colorScheme !== 'light');
    },
  );
});

describe('the pages of a brand', () => {
  it('have the name of the service if the pages have none', async () => {
    expect((await signInPage(undefined, { appName: 'Acme' })).text).toContain('>Acme<');
    const { text } = await signInPage(
      {},
      { appName: 'Acme', brand: { name: 'Acme Notes', accent: '#ffe600' } },
    );
    expect(text).toContain('<title>Sign in to Acme Notes</title>');
    expect((await signInPage({ name: 'Own' }, { brand: { name: 'Acme' } })).text).toContain('>Own<');
  });

  it('have the color of the service, unless the pages have their own', async () => {
    const config = { brand: { accent: '#ffe600' } };
    expect((await signInPage({}, config)).sheet).toContain('--accent: #ffe600;');
    expect((await signInPage({ accent: '#1f6b4f' }, config)).sheet).toContain('--accent: #1f6b4f;');
  });

  it('say the name once in the title of the document', async () => {
    const { text } = await signInPage({ name: 'Acme' });
    expect(text).toContain('<title>Sign in to Acme</title>');
  });

  it('have the logo for dark pages, and an icon that is not the logo', async () => {
    const { text } = await signInPage({ logo: { light: '/logo.svg', dark: '/logo-dark.svg' } });
    expect(text).toMatch(/<source srcset="\/logo-dark.svg" media="\(prefers-color-scheme: dark\)"/);
    expect(text).toMatch(/<img src="\/logo.svg"/);
    expect(text).toMatch(/<link rel="icon" href="\/app\/assets\/icon-/);
    expect((await signInPage({ logo: '/logo.svg', icon: '/favicon.svg' })).text).toContain(
      '<link rel="icon" href="/favicon.svg"',
    );
    const dark = await signInPage({ colorScheme: 'dark', logo: { light: '/a.svg', dark: '/b.svg' } });
    expect(dark.text).toContain('<img src="/b.svg"');
    expect(dark.text).not.toContain('/a.svg');
  });

  it('may show a logo of another site, and nothing else from there', async () => {
    const { page } = await signInPage({ logo: 'https://cdn.acme.test/logo.svg' });
    const policy = page.headers['content-security-policy'];
    expect(policy).toContain("img-src 'self' https://cdn.acme.test;");
    expect(policy).toContain("style-src 'self';");
  });

  it('load the stylesheet of the application after their own, and its fonts', async () => {
    const { page, text, sheet } = await signInPage({
      stylesheet: '/brand.css',
      font: '"Inter Variable", Inter, sans-serif',
      radius: '4px',
    });
    expect(text.indexOf('href="/brand.css"')).toBeGreaterThan(text.indexOf('/assets/pages-'));
    expect(page.headers['content-security-policy']).toContain("font-src 'self';");
    expect(sheet).toContain('--font: "Inter Variable", Inter, sans-serif;');
    expect(sheet).toContain('--radius: 4px;');
  });

  it('give the browser the color of the page, in light and dark', async () => {
    const { text } = await signInPage({ theme: { light: { page: '#fff7ea' } } });
    expect(text).toMatch(/name="theme-color"\s+content="#fff7ea"\s+media="\(prefers-color-scheme: light\)"/);
    expect(text).toMatch(/name="theme-color"\s+content="#0f1217"\s+media="\(prefers-color-scheme: dark\)"/);
    const { text: light } = await signInPage({ colorScheme: 'light' });
    expect(light.match(/theme-color/g)).toHaveLength(1);
    expect(light).toContain('<meta name="color-scheme" content="light" />');
  });

  it('give slots the language of the page, and the footer one line', async () => {
    const { text } = await signInPage({
      slots: {
        signInAside: ({ name }) => html`<h2>${name} for teams</h2>`,
        footer: ({ language }) =>
          html`<a href="/${language}/terms">Terms</a> · <a href="/privacy">Privacy</a>`,
      },
    });
    expect(text).toContain('<div><a href="/en/terms">Terms</a> · <a href="/privacy">Privacy</a></div>');
    expect(text).toContain('<h2>Acme for teams</h2>');
  });
});

describe('a slot that returns something else than markup', () => {
  it.each<[string, () => unknown, string]>([
    ['a string', () => '<b>Terms</b>', 'must return markup of the tag html that svc-auth/pages exports.'],
    ['a promise', async () => html`Terms`, 'must return markup of the tag html that svc-auth/pages exports.'],
    [
      'an error',
      () => {
        throw new Error('No terms');
      },
      'failed: No terms',
    ],
  ])('is an error that names it: %s', async (_what, footer, message) => {
    const { page, errors } = await signInPage({ slots: { footer } as PagesOptions['slots'] });
    expect(page.status).toBe(500);
    expect(page.text).toContain('Something went wrong');
    expect(errors).toEqual([`The slot footer ${message}`]);
  });

  it('is empty if it returns nothing', async () => {
    const { page } = await signInPage({ slots: { footer: () => false } as unknown as PagesOptions['slots'] });
    expect(page.status).toBe(200);
  });
});

describe('a theme whose text cannot be read', () => {
  it.each<[PagesOptions, string[]]>([
    [{ accent: '#ffe600' }, []],
    [{ theme: { light: { page: '#fff7ea' }, dark: { page: '#14110b', card: '#1d1912' } } }, []],
    [
      { accent: '#ffe600', theme: { light: { onAccent: '#ffffff' } } },
      ['createPages: the contrast of onAccent on accent is 1.3. Text needs 4.5.'],
    ],
    [
      { theme: { dark: { badSoft: '#ffffff' } } },
      ['createPages: the contrast of bad on badSoft is 1.8. Text needs 4.5.'],
    ],
    [{ colorScheme: 'light', theme: { dark: { text: '#000000' } } }, []],
  ])('is logged: %j', async (options, warnings) => {
    expect((await signInPage(options)).warnings).toEqual(warnings);
  });
});

test('the documentation lists every variable of the stylesheet, and every color of the theme', () => {
  const { tokens } = lookOf({});
  const declared = new Set([...tokens.matchAll(/^(--[\w-]+):/gm)].map(([, name]) => name));
  const pages = readFileSync(new URL('../../docs/pages.md', import.meta.url), 'utf8');
  const documented = new Set(
    [...pages.matchAll(/^\| .*$/gm)].flatMap(([row]) => row.match(/--[a-z][\w-]+/g) ?? []),
  );
  expect([...documented].sort()).toEqual([...declared].sort());
  const everyColor = {
    ...{ page: 0, card: 0, sunk: 0, current: 0, aside: 0, onAside: 0, text: 0, soft: 0, line: 0, field: 0 },
    ...{ accent: 0, accentHover: 0, onAccent: 0, link: 0, linkHover: 0, focus: 0 },
    ...{ bad: 0, badSoft: 0, badLine: 0, badFill: 0, onBad: 0, warn: 0, warnSoft: 0, warnLine: 0 },
    ...{ good: 0, goodSoft: 0, shadow: 0 },
  } satisfies Record<keyof ThemeColors, 0>;
  for (const name of Object.keys(everyColor)) expect(declared).toContain(variableOf(name));
});
