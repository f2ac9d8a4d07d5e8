// Every reason of an error is documented: the public ones in docs/errors.md, those of refusals in docs/reasons.md.
import { readFile } from 'node:fs/promises';
import { reasons } from '../../src/errors/reasons.js';
import { errorCodes } from '../../src/errors/service-error.js';
import { readLibrary } from './source-graph.js';

const page = (name: string) => readFile(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
const withoutComments = (text: string) => text.replace(/\/\*[^]*?\*\//g, '').replace(/^ *\/\/.*$/gm, '');
const files = readLibrary().filter(({ path }) => !/^(?:client|testing)\//.test(path));

it('every reason that the source gives an error is in docs/errors.md', async () => {
  const documented = await page('errors');
  const given = files.flatMap(({ text }) =>
    [...text.replace(/\/\*[^]*?\*\//g, '').matchAll(/\breason: '(\w+)'/g)].map(([, reason]) => reason!),
  );
  expect(given.length).toBeGreaterThan(20);
  expect([...new Set(given)].filter((reason) => !documented.includes(`\`${reason}\``))).toEqual([]);
});

describe('docs/reasons.md', () => {
  it('has a row for each reason of the table, with its codes, and no others', async () => {
    const rows = (await page('reasons')).matchAll(/^\| `(\w+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm);
    const documented = [...rows].map(([, name, codes, meaning, advice]) => {
      expect({ name, isComplete: /\.$/.test(meaning!) && /[.?]$/.test(advice!) }).toEqual({
        name,
        isComplete: true,
      });
      return [name, codes === '–' ? [] : codes!.replaceAll('`', '').split(', ')];
    });
    expect(new Set(documented.map(([name]) => name)).size).toBe(documented.length);
    expect(Object.fromEntries(documented)).toEqual(reasons);
  });

  it('has the name of each limit', async () => {
    const documented = await page('reasons');
    const limits = files
      .filter(({ text }) => /RateLimit\[\]|perIp\(/.test(text))
      .flatMap(({ text }) => [...withoutComments(text).matchAll(/(?:\{ name: |perIp\()['`]([^'`]+)['`],/g)])
      .map(([, name]) => name!.replaceAll('${purpose}', '<purpose>'));
    const known = [...new Set(limits)].filter((name) => !name.startsWith('${name}'));
    expect(known.length).toBeGreaterThan(40);
    expect(known.filter((name) => !isListed(name))).toEqual([]);

    function isListed(name: string): boolean {
      return documented.includes(`\`limit:${name}\``) || /^send-user:/.test(name);
    }
  });
});

/** Errors whose code alone does not say why: each must be created with a reason. */
const vague = [
  'TokenInvalid',
  'NotAuthorized',
  'RateLimit',
  'ApiKeyInvalid',
  'RefreshTokenInvalid',
  'ReauthRequired',
];

it('every error whose code does not say why is created with a reason', () => {
  const created = files.flatMap(({ path, text }) =>
    [...withoutComments(text).matchAll(new RegExp(`new (?:${vague.join('|')})Error\\(`, 'g'))].map(
      ({ index }) => ({
        path,
        call: withoutComments(text).slice(index, index + 200),
      }),
    ),
  );
  expect(created.length).toBeGreaterThan(80);
  const without = created.filter(
    ({ call }) => !/because\(|reason: '(?:passkey_unknown|second_factor_unavailable)'/.test(call),
  );
  expect(without).toEqual([]);
});

it('every code with the status 401, 403 or 429 has a reason', () => {
  const listed = new Set(Object.values(reasons).flat() as string[]);
  const refusals = Object.entries(errorCodes).filter(([, { status }]) => [401, 403, 429].includes(status));
  expect(refusals.map(([code]) => code).filter((code) => !listed.has(code))).toEqual([]);
});
