// Names and pictures of users and organizations: hostile input of users and identity providers.
// cspell:ignore Amélie csign fsign tienne ßeta Łukasz Аcme Иван Петров ѕupport לוֹם عائشة محمد क्षत्रिय
import { allowedPicture, isPictureSource, parsePersonName, shownName } from '../../src/domain/profile.js';
import { parseName } from '../../src/domain/name.js';
import { Profiles } from '../../src/core/support/profiles.js';
import { avatarOf, initialsOf } from '../../src/pages-kit/avatar.js';
import { browserFile } from '../../src/pages-kit/browser-files.cjs';

const reasonOf = (call: () => unknown) => {
  try {
    call();
  } catch (error) {
    return (error as { reason?: string; code: string }).reason ?? (error as { code: string }).code;
  }
  return 'accepted';
};

describe('A name', () => {
  it.each([
    ['a hundred letters', 'a'.repeat(100)],
    ['a hundred letters outside of the first plane', '𠮷'.repeat(100)],
    ['an emoji of several code points', 'Ada 👩‍🚀'],
    ['a joiner of Persian', 'علی‌رضا'],
    ['four marks on a letter', 'q\u0301\u0302\u0303\u0304'],
    ['marks of Hebrew, Thai and Devanagari', 'שָׁלוֹם ที่นี่ क्षत्रिय'],
  ])('may have %s', (_what, name) => {
    expect(parseName(name)).toBe(name);
  });

  it.each([
    ['a hundred and one letters', 'a'.repeat(101)],
    ['a hundred and one letters outside of the first plane', '𠮷'.repeat(101)],
    ['five marks on a letter', `Ada${'\u0301'.repeat(6)}`],
    ['a control of direction', 'Ada\u202egnp.exe'],
    ['a line break', 'Ada\nAdmin'],
    ['a control character', 'Ada\u0007'],
    ['nothing that can be seen', '\u200b\u3164'],
    ['a lone surrogate', 'Ada\ud800'],
  ])('must not have %s', (_what, name) => {
    expect(reasonOf(() => parseName(name))).toBe('invalid_request');
  });

  it('of a person loses controls of direction, which input methods add, and is composed', () => {
    expect(parsePersonName('\u200fعائشة\u200f')).toBe('عائشة');
    expect(parsePersonName('Ame\u0301lie')).toBe('Amélie');
  });

  it.each(['ada@example.com', 'Ada ＠ Example', 'https://evil.test', 'Win now: WWW.evil.test', 'tg://x'])(
    'of a person must not be an address or a link: %s',
    (name) => {
      expect(reasonOf(() => parsePersonName(name))).toBe('name_address');
      expect(shownName(name)).toBeNull();
    },
  );

  it.each(['Admin', 'ѕupport', 'Аcme', 'acme', 'Orbit'])(
    'of a person must not look like a name of the application: %s',
    (name) => {
      const profiles = new Profiles({ editable: true, pictures: [] }, ['orbit', 'Acme']);
      expect(reasonOf(() => profiles.parseName(name))).toBe('name_reserved');
      expect(profiles.parseName(`${name} Miller`)).toBe(`${name} Miller`);
    },
  );

  it('is shown without what an identity provider should not have sent', () => {
    expect(shownName('  Ada \u202e\n Lovelace\t')).toBe('Ada Lovelace');
    expect(shownName('é'.repeat(5000))).toBe('é'.repeat(100));
    for (const name of [
      undefined,
      null,
      42,
      {},
      ['Ada'],
      '',
      ' \u200b ',
      'A\u0000da',
      `a${'\u0301'.repeat(50)}`,
    ])
      expect([name, shownName(name)]).toEqual([name, null]);
  });
});

describe('The initials', () => {
  it.each([
    ['Ada Lovelace', 'AL'],
    ['  ada   king  lovelace ', 'AL'],
    ['Ada', 'A'],
    ['ada.lovelace@example.com', 'A'],
    ['+49*******78', '4'],
    ['Łukasz Żak', 'ŁŻ'],
    ['Иван Петров', 'ИП'],
    ['Ame\u0301lie E\u0301tienne', 'AE\u0301'],
    ['ßeta', 'ß'],
    ['山田 太郎', '山'],
    ['王小明', '王'],
    ['김민수', '김'],
    ['محمد علي', 'م'],
    ['שרה כהן', 'ש'],
    ['क्षत्रिय सिंह', 'क्ष'],
    ['(Ada) “Bo” Stone', 'AS'],
    ['👩‍🚀 Ada', '👩‍🚀'],
    ['', '?'],
  ])('of %j are %j', (name, initials) => {
    expect(initialsOf(name)).toBe(initials);
  });

  it('have one color for an id, of six', () => {
    const ids = Array.from({ length: 256 }, (_, index) => `0190-${index.toString(16).padStart(2, '0')}`);
    const hues = ids.map((id) => avatarOf({ id, picture: null }, 'Ada').hue);
    expect(new Set(hues)).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    expect(ids.map((id) => avatarOf({ id, picture: null }, 'Bo').hue)).toEqual(hues);
    expect(avatarOf({ id: 'Z', picture: null }, 'Ada').hue).toBe(0);
  });

  it('have a contrast of at least 4.5 to 1 in light and dark', () => {
    const css = browserFile('avatar.css');
    const colors = (name: string) =>
      [...css.matchAll(new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`, 'g'))].flatMap(
        ([, light, dark]) => [light!, dark!],
      );
    const [grounds, letters] = [colors('ground'), colors('letter')];
    expect([grounds.length, letters.length]).toEqual([12, 12]);
    grounds.forEach((ground, index) => expect(contrast(ground, letters[index]!)).toBeGreaterThan(4.5));
  });
});

/** WCAG 2.2, relative luminance. */
function contrast(...colors: [string, string]): number {
  const [low = 0, high = 0] = colors
    .map((color) => {
      const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
        const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    })
    .sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

describe('A picture', () => {
  const sources = ['https://lh3.googleusercontent.com/', 'https://cdn.acme.test/avatars/', '/avatars/'];

  it.each([
    ['https://lh3.googleusercontent.com/a/x=s96-c', 'https://lh3.googleusercontent.com/a/x=s96-c'],
    ['HTTPS://LH3.googleusercontent.com/a?s=96#x', 'https://lh3.googleusercontent.com/a?s=96'],
    ['https://cdn.acme.test/avatars/ada.png', 'https://cdn.acme.test/avatars/ada.png'],
    ['/avatars/0190/ada.webp', '/avatars/0190/ada.webp'],
  ])('may be %s', (picture, shown) => {
    expect(allowedPicture(picture, sources)).toBe(shown);
  });

  it.each([
    'http://lh3.googleusercontent.com/a',
    'https://lh3.googleusercontent.com.evil.test/a',
    'https://lh3.googleusercontent.com@evil.test/a',
    'https://user:secret@lh3.googleusercontent.com/a',
    'https://lh3.googleusercontent.com:8443/a',
    'https://lh3.googleusercontent.com/',
    'https://cdn.acme.test/',
    'https://cdn.acme.test/avatars/../private/1.png',
    'https://cdn.acme.test/avatars/%2e%2e/private/1.png',
    'https://evil.test/a',
    '//evil.test/avatars/a',
    '/\\evil.test/avatars/a',
    '\\\\evil.test\\a',
    '/avatars/',
    '/avatars/../sign-out',
    '/avatars/%2e%2e/sign-out',
    '/avatars/..%2fsign-out',
    '/avatars/..%5csign-out',
    '/avatars/a.png?delete=yes',
    '/avatars/a.png#x',
    '/avatars/a b.png',
    '/sign-out',
    'avatars/a.png',
    'javascript:alert(1)',
    'data:image/svg+xml,<svg/>',
    'blob:https://lh3.googleusercontent.com/1',
    `https://lh3.googleusercontent.com/${'a'.repeat(2100)}`,
    42,
    null,
  ])('must not be %j', (picture) => {
    expect(allowedPicture(picture, sources)).toBeNull();
  });

  it('of any place is not shown by default', () => {
    const profiles = new Profiles({ editable: true, pictures: [] }, []);
    const metadata = { name: 'Ada', picture: 'https://lh3.googleusercontent.com/a' };
    expect(profiles.ofUser({ metadata })).toEqual({ name: 'Ada', picture: null });
    expect(reasonOf(() => profiles.parsePicture(metadata.picture))).toBe('picture_source');
  });

  it.each([
    'https://cdn.acme.test',
    'http://cdn.acme.test/',
    'https://*.acme.test/',
    'https://cdn.acme.test/a;script-src/',
    'https://cdn.acme.test/a,b/',
    'https://cdn.acme.test/ *',
    'https://cdn.acme.test/a/../',
    'https://CDN.acme.test/',
    'https://',
    'https:',
    'data:',
    "'unsafe-inline'/",
    '/',
    '//evil.test/',
    '/avatars',
    '/a/../b/',
    42,
  ])('cannot be allowed from %j', (source) => {
    expect(isPictureSource(source)).toBe(false);
  });
});
