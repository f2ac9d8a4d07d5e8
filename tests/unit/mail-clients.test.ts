// What mail programs support, as caniemail.com lists it, and that every built-in mail keeps to it. Outlook for Windows shows mails with
// Word; Gmail removes what it does not know, with the whole rule or style element; both lose the head in some of their apps.
import { englishMailTexts } from 'svc-auth';
import { builtInMails } from '../../src/core/mail/texts/built-in.js';
import { everyMail } from '../support/every-mail.js';

/** The properties that may be inlined, with the programs that do not support them: the mail must be right without one. */
const properties: Record<string, string> = {
  'background-color': 'everywhere; a table also has bgcolor, for Outlook on Windows',
  border: 'everywhere on cells and images',
  'border-radius': 'not in Outlook on Windows: its corners are square',
  'border-top': 'everywhere on cells',
  color: 'everywhere',
  display: 'everywhere, as none, block and inline-block',
  'font-family': 'everywhere; the head has one for Outlook on Windows, which does not know the first names',
  'font-size': 'everywhere, in pixels',
  'font-weight': 'everywhere',
  height: 'everywhere on cells and images, with an attribute for Outlook on Windows',
  'letter-spacing': 'everywhere',
  'line-height': 'everywhere',
  margin: 'on the body',
  'max-height': 'with mso-hide, which hides in Outlook on Windows',
  'max-width':
    'not in Outlook on Windows, which gets a table of 600 px in a conditional comment, and the width of images as an attribute',
  'mso-hide': 'Outlook on Windows only',
  'mso-padding-alt': 'Outlook on Windows only: the padding of a button, which it ignores on links',
  opacity: 'not in Outlook on Windows, which hides by mso-hide',
  overflow: 'not in Outlook on Windows, which hides by mso-hide',
  padding: 'on cells everywhere; on links not in Outlook on Windows',
  'text-align': 'everywhere',
  'text-decoration': 'everywhere',
  width: 'everywhere on images, with an attribute for Outlook on Windows',
  'white-space': 'not in some: a label is broken there if the screen is very narrow',
  'word-break': 'not in some: a long address or name is wider than the screen of a phone there',
};

/** What the head may contain in addition. Programs without media queries show the light mail. */
const headProperties = ['color-scheme', 'supported-color-schemes', 'border-color'];

const elements = [
  ...[
    'html',
    'head',
    'meta',
    'title',
    'style',
    'body',
    'div',
    'table',
    'tr',
    'td',
    'a',
    'img',
    'span',
    'bdi',
    'br',
  ],
];

const brand = {
  name: 'Acme & Söhne',
  logo: null,
  accent: '#ffd400',
  supportUrl: 'mailto:help@acme.test',
  mailLogo: {
    ...{
      url: 'https://cdn.acme.test/mail.png',
      dark: 'https://cdn.acme.test/dark.png',
      width: 120,
      height: 32,
    },
  },
};
const event = {
  time: 'November 26, 2026 at 10:50 PM UTC',
  device: 'Firefox on Linux',
  place: 'Berlin, Germany',
};

interface Tag {
  name: string;
  attributes: Map<string, string>;
}

/** The tags outside of conditional comments, which only Outlook on Windows reads. */
function tagsOf(html: string): Tag[] {
  const shown = html.replace(/<!--[\s\S]*?-->/g, '').replace(/(<style>)[\s\S]*?(?=<\/style>)/g, '$1');
  return [...shown.matchAll(/<([a-z][a-z0-9]*)((?:\s+[a-z:-]+(?:="[^"]*")?)*)\s*\/?>/g)].map(
    ([, name = '', attributes = '']) => ({
      name,
      attributes: new Map(
        [...attributes.matchAll(/([a-z:-]+)(?:="([^"]*)")?/g)].map(([, key = '', value = '']) => [
          key,
          value,
        ]),
      ),
    }),
  );
}

const declarationsIn = (css: string) =>
  css
    .split(';')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map(
      (each) => [each.slice(0, each.indexOf(':')).trim(), each.slice(each.indexOf(':') + 1).trim()] as const,
    );

const mailsIn = async (language: string, texts = englishMailTexts) =>
  everyMail({ brand, language, texts: (await builtInMails.get(language)?.()) ?? texts }, event);

describe.each(['en', 'ar'])('every built-in mail (%s)', (language) => {
  const everyTag = async () =>
    (await mailsIn(language)).flatMap(({ name, html }) =>
      tagsOf(html).map((tag) => ({ ...tag, mail: name })),
    );

  it('has only elements that no program removes', async () => {
    const used = new Set((await everyTag()).map(({ name }) => name));
    expect([...used].sort()).toEqual(elements.sort());
  });

  it('has only properties of the list, and every one of the list', async () => {
    const used = new Set(
      (await everyTag()).flatMap(({ attributes }) =>
        declarationsIn(attributes.get('style') ?? '').map(([property]) => property),
      ),
    );
    expect([...used].sort()).toEqual(Object.keys(properties).sort());
  });

  it('has padding on cells, and on the link of a button, whose cell has it for Outlook', async () => {
    const tags = await everyTag();
    const padded = tags.filter(({ attributes }) =>
      /(?:^|;)padding:(?!0(?:;|$))/.test(attributes.get('style') ?? ''),
    );
    expect([...new Set(padded.map(({ name }) => name))].sort()).toEqual(['a', 'td']);
    for (const [index, { name, attributes }] of tags.entries())
      if (name === 'a' && /;padding:/.test(attributes.get('style') ?? ''))
        expect(tags[index - 1]?.attributes.get('style')).toContain('mso-padding-alt:13px 24px');
  });

  it('has sizes in pixels and percent, and no value that needs a newer program', async () => {
    for (const { mail, attributes } of await everyTag())
      for (const [property, value] of declarationsIn(attributes.get('style') ?? '')) {
        const isPlain = !/(?:var|calc|min|max|clamp|rgba?|hsla?|url)\(|\d(?:r?em|vw|vh|ch)\b|flex|grid/.test(
          value,
        );
        expect([mail, property, value, isPlain]).toEqual([mail, property, value, true]);
      }
  });

  it('has tables that screen readers skip and that have no gaps', async () => {
    for (const { name, attributes } of await everyTag())
      if (name === 'table')
        expect([...attributes.entries()].filter(([key]) => /role|border|cell/.test(key))).toEqual([
          ['role', 'presentation'],
          ['border', '0'],
          ['cellpadding', '0'],
          ['cellspacing', '0'],
        ]);
  });

  it('has every ground as an attribute too', async () => {
    for (const { name, attributes } of await everyTag()) {
      const ground = /background-color:(#\w+)/.exec(attributes.get('style') ?? '')?.[1];
      if (name === 'td' || name === 'table') expect(attributes.get('bgcolor')).toBe(ground);
    }
  });

  it('has images with a width, a height and the name as their text', async () => {
    const images = (await everyTag()).filter(({ name }) => name === 'img');
    expect(images.length).toBeGreaterThan(0);
    for (const { attributes } of images)
      expect(['width', 'height', 'alt'].map((name) => attributes.get(name))).toEqual([
        ...['120', '32', 'Acme &#38; Söhne'],
      ]);
    // While images are blocked, the name is there in the dark too.
    for (const { attributes } of images) expect(attributes.get('class')?.split(' ')).toContain('text');
  });

  it('is 600 px wide in Outlook, and at most 600 px elsewhere', async () => {
    for (const { html } of await mailsIn(language)) {
      expect(html).toMatch(
        /<!--\[if mso\]><table [^>]*width="600"[^>]*><tr><td><!\[endif\]-->\s*<table [^>]*max-width:600px/,
      );
      expect(html.match(/<!--\[if mso\]>/g)).toHaveLength(3);
      expect(html.match(/<!\[endif\]-->/g)).toHaveLength(3);
    }
  });

  it('has a head with the character set, the subject, both color schemes, and styles that Gmail keeps', async () => {
    for (const { html, subject } of await mailsIn(language)) {
      const head = /<head>[\s\S]*<\/head>/.exec(html)?.[0] ?? '';
      expect(head).toContain('<meta charset="utf-8"');
      expect(head).toContain(`<title>${subject.replaceAll('&', '&#38;')}</title>`);
      expect(head).toMatch(/name="color-scheme" content="light dark"/);
      expect(head).toMatch(/name="supported-color-schemes" content="light dark"/);
      const styles = [...head.replace(/<!--[\s\S]*?-->/g, '').matchAll(/<style>([\s\S]*?)<\/style>/g)].map(
        ([, css = '']) => css,
      );
      // Gmail drops a style element of more than 8192 characters, and the whole element for a selector with an attribute.
      expect(styles.map((css) => css.length < 8192)).toEqual([true, true]);
      expect(styles.map((css) => /\[data-/.test(css))).toEqual([false, true]);
      const used = [...styles.join().matchAll(/[{;]\s*([a-z-]+):/g)].map(([, property = '']) => property);
      expect(used.filter((name) => !properties[name] && !headProperties.includes(name))).toEqual([]);
    }
  });

  it('gives every class of the dark mode a place in the body', async () => {
    const [mail] = (await mailsIn(language)).filter(({ name }) => name === 'magic-link-with-code');
    const [head = '', body = ''] = mail!.html.split('</head>');
    const ofHead = new Set([...head.matchAll(/\.([a-z-]+) \{/g)].map(([, name = '']) => name));
    const ofBody = new Set(
      tagsOf(`<html>${body}`).flatMap(({ attributes }) => (attributes.get('class') ?? '').split(' ')),
    );
    ofBody.delete('');
    expect([...ofHead].sort()).toEqual([...ofBody].sort());
  });

  it('is smaller than what Gmail cuts off', async () => {
    for (const { html } of await mailsIn(language)) expect(Buffer.byteLength(html)).toBeLessThan(20_000);
  });

  it('begins with a hidden preview, which is not the code', async () => {
    for (const { name, html } of await mailsIn(language)) {
      const hidden = /<div\s+style="display:none[^>]*>\s*([^<]*)</.exec(html)?.[1] ?? '';
      expect([name, hidden.length > 40, hidden.includes('012345')]).toEqual([name, true, false]);
    }
  });

  it('has the address of each button below it, and every link in its text', async () => {
    for (const { html, text } of await mailsIn(language)) {
      const links = tagsOf(html).filter(
        ({ name, attributes }) => name === 'a' && attributes.get('href')?.startsWith('https'),
      );
      expect([0, 2]).toContain(links.length);
      for (const { attributes } of links) {
        const address = attributes.get('href')!;
        expect(html).toContain(`>${address}</a`);
        expect(text.split('\n')).toContain(address.replaceAll('&#38;', '&'));
      }
    }
  });

  it('says why the reader gets it and where help is, in the HTML and in the text', async () => {
    const texts = (await builtInMails.get(language)!()) ?? englishMailTexts;
    for (const { html, text } of await mailsIn(language)) {
      const [reason, help] = text.trim().split('\n').slice(-2);
      expect(html).toContain(reason!.replaceAll('&', '&#38;'));
      expect(help).toBe(`${texts.help} help@acme.test`);
      expect(html).toContain('href="mailto:help@acme.test"');
    }
  });

  it('names the time, the device and the place of a change in its notice alone', async () => {
    const notices = [
      'recovery-codes-low',
      'address-changed',
      'password-changed',
      'phone-added',
      'phone-removed',
      'new-device',
      'identity-linked',
    ];
    for (const { name, html, text } of await mailsIn(language))
      for (const value of Object.values(event)) {
        expect([name, value, text.includes(value)]).toEqual([name, value, notices.includes(name)]);
        expect([name, value, html.includes(value)]).toEqual([name, value, notices.includes(name)]);
      }
  });

  it('shows no name that a user has chosen', async () => {
    for (const { html, text } of await mailsIn(language))
      expect(html + text).not.toContain('Chosen by a user');
  });
});
