// A CSV file whose first line is a user of plain words: a message must not print them.
// cspell:ignore adresse
import { collect, useFiles } from './collect.js';

const { fileWith } = useFiles();

const failureOf = async (content: string, map?: string) => {
  const file = fileWith('words.csv', content);
  const failure = collect('csv', { file, ...(map !== undefined && { map }) });
  return failure.then(
    () => 'none',
    (error: Error) => error.message,
  );
};

it.each([undefined, 'email=mail'])(
  'says that its first line seems to have no names (--map %s)',
  async (map) => {
    const message = await failureOf('alice,hunter,Alice Smith\nbob,secret,Bob Jones\n', map);
    expect(message).toContain('Its first line seems to have no names');
    expect(message).not.toMatch(/alice|hunter|Smith/i);
  },
);

it('prints the names if one of them is usual, or in the map', async () => {
  expect(await failureOf('Created,total\nx,y\n')).toContain('It has: Created, total.');
  expect(await failureOf('nr,adresse\nx,y\n', 'externalId=nr,email=mail')).toContain('It has: nr, adresse.');
});
