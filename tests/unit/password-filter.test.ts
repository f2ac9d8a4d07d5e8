// The list of common passwords, and filters that applications build: `npx svc-auth passwords build`.
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildFilter, PasswordListError } from '../../src/core/passwords/build-filter.js';
import { filterInFile, packagedFilter } from '../../src/core/passwords/password-filter.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-auth-filter-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string) => path.join(folder, name);
const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase();
/** The same passwords in every run. */
const random = (index: number) =>
  createHash('sha256').update(`password ${index}`).digest('base64url').slice(0, 16);

async function built(lines: readonly string[], minCount?: number) {
  writeFileSync(at('list.txt'), lines.join('\n'));
  const result = await buildFilter(at('list.txt'), at('filter'), minCount);
  return { result, filter: filterInFile(at('filter')) };
}

describe('The list of common passwords', () => {
  const filter = packagedFilter();

  // A-05
  it.each([
    '123456',
    'password',
    'password1',
    'qwertyuiop',
    'iloveyou',
    'trustno1',
    'letmein',
    'football1',
    '1qaz2wsx',
    'baseball',
    'superman',
    'starwars',
  ])('contains %s', async (password) => {
    expect(await filter.contains(password)).toBe(true);
  });

  it.each([
    ['a capital letter', 'Password1'],
    ['capitals', 'PASSWORD1'],
    ['white space at the ends', ' password1\t'],
    ['full-width letters', 'ｐａｓｓｗｏｒｄ１'],
  ])('contains a common password that is varied by %s', async (_name, password) => {
    expect(await filter.contains(password)).toBe(true);
  });

  it.each(['correct horse battery staple', 'Tr0ub4dor&3 and more', '        ', 'пароль-на-8', ''])(
    'does not contain %j',
    async (password) => {
      expect(await filter.contains(password)).toBe(false);
    },
  );
});

describe('A filter that is built from a list', () => {
  it.each([1, 2, 127, 128, 129, 5000])('of %i passwords contains each, and no other', async (count) => {
    const words = Array.from({ length: count }, (_, index) => random(index));
    const { result, filter } = await built(words);
    expect(result).toMatchObject({ passwords: count, contents: 'folded' });
    for (const word of words) expect([word, await filter.contains(word)]).toEqual([word, true]);
    for (let index = count; index < count + 200; index += 1)
      expect(await filter.contains(random(index))).toBe(false);
  });

  it('ignores empty lines, repeated passwords, case and the line ends of Windows', async () => {
    writeFileSync(at('list.txt'), 'Hunter two\r\n\r\nhunter TWO\r\n  hunter two\r\nanother one\r\n');
    expect(await buildFilter(at('list.txt'), at('filter'))).toMatchObject({ passwords: 2 });
    const filter = filterInFile(at('filter'));
    for (const password of ['hunter two', 'HUNTER TWO', 'another one'])
      expect(await filter.contains(password)).toBe(true);
    expect(await filter.contains('hunter')).toBe(false);
  });

  it('takes five bytes per password', async () => {
    const { result } = await built(Array.from({ length: 20_000 }, (_, index) => random(index)));
    expect(Math.round(result.bytes / 20_000)).toBe(5);
  });
});

describe('A filter that is built from SHA-1 digests', () => {
  const digests = (words: readonly string[], counts: readonly number[] = []) =>
    words
      .map((word, index) => `${sha1(word)}${counts[index] === undefined ? '' : `:${counts[index]}`}`)
      .sort();

  it('contains the passwords as leaked, and their common form', async () => {
    const { result, filter } = await built(digests(['Hunter Two', 'another one']));
    expect(result).toMatchObject({ passwords: 2, contents: 'exact' });
    expect(await filter.contains('Hunter Two')).toBe(true);
    expect(await filter.contains('hunter two')).toBe(false);
    // Folded to a leaked password.
    expect(await filter.contains('Another ONE')).toBe(true);
  });

  it('skips digests that were leaked less often than --min-count', async () => {
    const { result, filter } = await built(digests(['often', 'rarely', 'at least'], [10, 9, 100]), 10);
    expect(result.passwords).toBe(2);
    expect(await Promise.all(['often', 'rarely', 'at least'].map((word) => filter.contains(word)))).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('accepts lower-case digests', async () => {
    const { filter } = await built(digests(['hunter two', 'x y z']).map((line) => line.toLowerCase()));
    expect(await filter.contains('hunter two')).toBe(true);
  });

  it.each([
    [
      'are not in order',
      ['another one', 'hunter two', 'x', 'y'].map(sha1).sort().reverse(),
      /Line 2 .*order/,
    ],
    ['contain another line', [sha1('a'), 'hunter two'], /Line 2 is not a SHA-1 digest/],
  ])(
    'is refused if they %s, without a word of the line, and leaves no file',
    async (_name, lines, message) => {
      const failure = await built(lines).then(
        () => null,
        (error: unknown) => error as Error,
      );
      expect(failure).toBeInstanceOf(PasswordListError);
      expect(failure?.message).toMatch(message);
      expect(failure?.message).not.toContain('hunter');
      expect(readdirSync(folder)).toEqual(['list.txt']);
    },
  );
});

describe('A list or a filter that cannot be used', () => {
  it('an empty list is refused', async () => {
    await expect(built(['', ''])).rejects.toThrow(PasswordListError);
  });

  it('a missing list is reported as by the file system', async () => {
    await expect(buildFilter(at('missing'), at('filter'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('an existing filter is kept if the new one cannot be built', async () => {
    await built(['hunter two']);
    const before = readFileSync(at('filter'));
    await expect(built([sha1('b'), sha1('a')].sort().reverse())).rejects.toThrow(PasswordListError);
    expect(readFileSync(at('filter')).equals(before)).toBe(true);
  });

  it('a truncated filter, another file and an empty file are refused', async () => {
    await built(Array.from({ length: 500 }, (_, index) => random(index)));
    const whole = readFileSync(at('filter'));
    truncateSync(at('filter'), whole.length - 1);
    await expect(filterInFile(at('filter')).check()).rejects.toThrow(/incomplete/);
    await expect(filterInFile(at('filter')).contains('x')).rejects.toThrow(/incomplete/);
    for (const content of ['', 'password\n', 'x'.repeat(5000)]) {
      writeFileSync(at('filter'), content);
      await expect(filterInFile(at('filter')).check()).rejects.toThrow(/not a password filter/);
    }
    await expect(filterInFile(at('missing')).check()).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('a header with impossible parameters is refused instead of read', async () => {
    await built(['hunter two']);
    const whole = readFileSync(at('filter'));
    for (const [offset, value] of [
      [8, 2],
      [9, 0],
      [9, 9],
      [16, 255],
    ] as const) {
      const damaged = Buffer.from(whole);
      damaged.writeUInt8(value, offset);
      writeFileSync(at('filter'), damaged);
      await expect(filterInFile(at('filter')).contains('x')).rejects.toThrow(/damaged/);
    }
  });
});
