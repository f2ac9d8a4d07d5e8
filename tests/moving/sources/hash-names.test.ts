// What the command calls the formats of hashes that the service verifies, and the passwords of WordPress.
import { readFileSync } from 'node:fs';
import { formatOf, namesItsFormat } from '../../../src/cli/import/hash-formats.js';
import { collect, useFiles } from './collect.js';

const { fileWith } = useFiles();

interface Vector {
  by: string;
  format: string;
  hash: unknown;
}

const vectors = ['vectors.json', 'published.json'].flatMap(
  (name) => JSON.parse(readFileSync(new URL(`../vectors/${name}`, import.meta.url), 'utf8')) as Vector[],
);

it('every hash of another package that is a text has a name', () => {
  const texts = vectors.filter(({ hash }) => typeof hash === 'string');
  expect(texts.length).toBeGreaterThan(100);
  const unnamed = texts.filter(({ hash }) => formatOf(hash) === null);
  expect(unnamed.map(({ by, format }) => `${by}, ${format}`)).toEqual([]);
});

it('the table of users of WordPress is read with its passwords, the new ones and the old ones', async () => {
  const ofWordPress = vectors.filter(({ by }) => /^(?:WordPress 6\.8|wordpress-hash-node)/.test(by));
  const hashes = ofWordPress.map(({ hash }) => String(hash));
  expect(hashes.filter((hash) => hash.startsWith('$wp$')).length).toBeGreaterThan(0);
  expect(hashes.filter((hash) => hash.startsWith('$P$')).length).toBeGreaterThan(0);
  expect(hashes.filter((hash) => !namesItsFormat(hash))).toEqual([]);
  const rows = hashes.map((hash, at) => `${at + 1},user${at},${hash},u${at}@example.com,2019-03-04 05:06:07`);
  const file = fileWith(
    'wp_users.csv',
    ['ID,user_login,user_pass,user_email,user_registered', ...rows].join('\n'),
  );
  const { opened, users } = await collect('csv', { file });
  expect(opened.map).toMatchObject({
    ...{ externalId: 'ID', email: 'user_email', username: 'user_login' },
    ...{ passwordHash: 'user_pass', createdAt: 'user_registered' },
  });
  expect(users.map((user) => user.passwordHash)).toEqual(hashes);
});
