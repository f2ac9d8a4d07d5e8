/** Lookups on the only connection of SQLite, which take no turn of the event loop. */
import { database } from '../../src/adapters/portable/database.js';
import { sqliteDialect } from '../../src/adapters/portable/sqlite-dialect.js';
import { ownedSqlite } from '../../src/adapters/portable/sqlite-adapter.js';

const select = 'select id from svc_test where id = :id';

async function openDatabase() {
  const source = ownedSqlite({ connection: { filename: ':memory:' } });
  const db = database(source.open, sqliteDialect());
  await db.execute('create table svc_test (id text)', {});
  return { db, close: source.close };
}

it('findNow does not read what a transaction has not committed', async () => {
  const { db, close } = await openDatabase();
  expect(db.findNow(select, ['a'])).toBeNull();
  await db.transaction(async (transaction) => {
    await transaction.execute(`insert into svc_test values ('a')`, {});
    expect(db.findNow(select, ['a'])).toBeUndefined();
  });
  expect(db.findNow(select, ['a'])).toEqual(['a']);
  await close();
});

it('findNow leaves a failed statement and a closed database to find', async () => {
  const { db, close } = await openDatabase();
  expect(db.findNow('select id from svc_missing where id = :id', ['a'])).toBeUndefined();
  await close();
  expect(db.findNow(select, ['a'])).toBeUndefined();
});
