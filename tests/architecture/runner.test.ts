// The tests of the tests: each file of tests/inner/runner fails as it must, in whichever process it runs and after whichever file.
import { runInnerTests } from '../support/inner-process.js';

describe('The runner of the tests', () => {
  let files: Awaited<ReturnType<typeof runInnerTests>>;
  const messagesOf = (file: string) =>
    files
      .get(`${file}.test.ts`)!
      .assertionResults.flatMap(({ title, failureMessages }) =>
        failureMessages.map((message) => `${title}: ${message}`),
      );

  beforeAll(async () => {
    files = await runInnerTests('tests/inner/runner');
  }, 120_000);

  // Two processes run the three files, so that one of them is not the first of its process.
  it.each(['first', 'second', 'third'])(
    'the leak scan fails a test or a file that leaks, and knows no secrets of other files: %s',
    (name) => {
      expect(messagesOf(`leaks-${name}`)).toEqual([
        expect.stringMatching(/afterEach[^]*writes a secret to the log[^]*the log, itself: a token/),
        expect.stringMatching(/afterEach[^]*becomes a secret later[^]*the log, itself: a token/),
        expect.stringMatching(/afterAll[^]*the storage, by users.insert: a token/),
      ]);
    },
  );

  it('an uncaught error fails its test and no other', () => {
    expect(messagesOf('uncaught')).toEqual([
      expect.stringMatching(/throws in a callback[^]*Error: in a callback/),
      expect.stringMatching(/rejects a promise without a handler[^]*Error: without a handler/),
    ]);
  });

  it('a test fails that takes longer than its limit', () => {
    expect(messagesOf('late')).toEqual([expect.stringContaining('Exceeded the time limit of 20 ms.')]);
  });

  it.each([
    ['a file without a test', 'empty', 'must contain at least one test'],
    ['a hook that an import registers', 'imports-a-hook', 'is registered by an import'],
  ])('%s is refused', (_what, file, message) => {
    expect(files.get(`${file}.test.ts`)).toMatchObject({
      status: 'failed',
      message: expect.stringContaining(message) as string,
    });
  });
});
