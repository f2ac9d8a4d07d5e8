/** Statements that end sessions: CockroachDB refuses one that changes a table twice (docs/scale.md). */
import * as revocations from '../../src/adapters/sql/revocations.js';

const statements = Object.entries(revocations).filter(
  (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].trim().startsWith('with'),
);

const changedTables = (sql: string) =>
  [...sql.matchAll(/(?:update|delete from|insert into)\s+(svc_\w+)/g)].map(([, name]) => name);

it('finds the statements', () => {
  expect(statements.map(([name]) => name).sort()).toEqual([
    'claimUser',
    'endAll',
    'endWhatWaits',
    'resetUser',
  ]);
});

it.each(statements)('%s changes each table once', (_name, sql) => {
  const tables = changedTables(sql);
  expect(tables.length).toBeGreaterThan(1);
  expect([...new Set(tables)]).toEqual(tables);
});
