/** The scope in which several methods of an adapter share a transaction. */
import { Scopes } from '../../src/adapters/shared/scopes.js';

/** A driver that keeps a list of what it was asked for. */
function recordingScopes() {
  const asked: string[] = [];
  const ask = (what: string) => async () => void asked.push(what);
  const scopes = new Scopes<string>({
    begin: async () => {
      asked.push('begin');
      return 'transaction';
    },
    commit: ask('commit'),
    rollback: ask('rollback'),
    control: async (_transaction, sql) => void asked.push(sql),
    isConflict: () => false,
  });
  const statement = (sql: string) =>
    scopes.unit(
      async () => void asked.push(`alone: ${sql}`),
      async () => void asked.push(sql),
    );
  return { asked, scopes, statement };
}

describe('a scope of statements', () => {
  it('begins with its first statement, and commits when its work is done', async () => {
    const { asked, scopes, statement } = recordingScopes();
    await scopes.run(() => statement('one'));
    await statement('two');
    expect(asked).toEqual(['begin', 'one', 'commit', 'alone: two']);
  });

  it.each([
    ['committed', undefined],
    ['failed', new Error('refused')],
  ])(
    'that has %s refuses a statement that was not awaited, which no commit would follow',
    async (_how, failure) => {
      const { asked, scopes, statement } = recordingScopes();
      let late: Promise<unknown> = Promise.resolve();
      const run = scopes.run(async () => {
        await statement('one');
        late = new Promise(setImmediate).then(() => statement('late'));
        if (failure) throw failure;
      });
      await expect(run.catch((error: unknown) => error)).resolves.toBe(failure);
      await expect(late).rejects.toMatchObject({ code: 'internal_error' });
      expect(asked).toEqual(['begin', 'one', failure ? 'rollback' : 'commit']);
    },
  );
});
