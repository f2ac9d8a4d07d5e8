// The check for wording that readers have to decode.
import { findBannedPatterns } from '../../scripts/check-language.js';

describe('findBannedPatterns()', () => {
  it.each([
    ['a comment', 'src/x.ts', '// Whoever calls it gets a session.\n'],
    ['a block comment over two lines', 'src/x.ts', '/**\n * Returns the id of\n * somebody.\n */\n'],
    ['a string', 'src/x.ts', `throw new Error('There was nobody at home.');`],
    ['a template', 'src/x.ts', 'const text = `tells ${who} that it holds`;'],
    ['the prose of a page', 'docs/x.md', 'The session goes on for ever.\n'],
    ['a comment in a fence', 'docs/x.md', '```ts\nsignIn(); // for who is a guest\n```\n'],
  ])('reports a banned pattern in %s', (_where, file, text) => {
    expect(findBannedPatterns(file, text)).not.toEqual([]);
  });

  it('reports the line, the words around the pattern and what to write instead', () => {
    expect(findBannedPatterns('docs/x.md', 'One.\n\nA key that is none.\n')).toEqual([
      {
        file: 'docs/x.md',
        line: 3,
        excerpt: expect.stringContaining('A key that is none.') as unknown,
        instead: 'Say what is invalid, malformed or missing.',
      },
    ]);
  });

  it.each([
    ['plain English', 'docs/x.md', 'Returns null if the session has been revoked.\n'],
    [
      'a lock that is held',
      'src/x.ts',
      '// Waits without holding another lock, and holds the lock of the user.\n',
    ],
    ['code in a fence', 'docs/x.md', '```ts\nconst nobody = null;\n```\n'],
    ['inline code', 'docs/x.md', 'The variable `nobody` is null.\n'],
    ['a string that is one word', 'src/x.ts', `const name = 'nobody';`],
  ])('accepts %s', (_what, file, text) => {
    expect(findBannedPatterns(file, text)).toEqual([]);
  });
});
