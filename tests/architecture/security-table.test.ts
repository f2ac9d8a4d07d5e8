// The table of requirements in docs/security.md: what counts as a proof, and what the generator rejects.
import { requirementsTable, withTable } from '../../scripts/generate-security-table.js';
import { readRequirements, tagsIn } from '../../scripts/security-requirements.js';

/** The id after the last one. Computed, because ids in tests must be in the list. */
const unlisted = `A-${108}`;
const idAt = (index: number) => `A-${String(index + 1).padStart(2, '0')}`;
const allRows = Array.from({ length: 107 }, (_, index) => `| ${idAt(index)} | source | text |`);

/** Returns a page of requirements with these rows and exceptions. */
const pageOf = (rows: string[], exceptions: string[] = []) =>
  [...rows, '', '## Exceptions', '', ...exceptions, ''].join('\n');

describe('readRequirements', () => {
  it.each([
    ['lacks an id', pageOf(allRows.slice(1)), 'A-01'],
    ['has an id twice', pageOf([...allRows, allRows[106]!]), 'once'],
    ['has a row without a text', pageOf(allRows.with(6, '| A-07 | source |  |')), 'A-07'],
    ['has an unknown state', pageOf(allRows, ['| A-07 | perhaps | why |']), 'perhaps'],
    ['has a state without a reason', pageOf(allRows, ['| A-07 | deviates |  |']), 'A-07'],
    ['has two states for one id', pageOf(allRows, Array(2).fill('| A-07 | met | why |') as string[]), 'A-07'],
    ['has a state for an unlisted id', pageOf(allRows, [`| ${unlisted} | met | why |`]), unlisted],
    ['has no heading for exceptions', allRows.join('\n'), 'heading'],
  ])('rejects a page that %s', (_what, page, message) => {
    expect(() => readRequirements(page)).toThrow(message);
  });
});

describe('The tags of tests', () => {
  it.each([
    ['a test', `// A-07\nit('is accepted', () => {});`],
    ['a group', `// A-07\ndescribe('A token', () => { it('is accepted', () => {}); });`],
    ['a group on every storage', `  // A-07\n  describeAdapters('A token', () => {});`],
    ['a row of each', `it.each([\n  // A-07\n  ['a token'],\n])('%s', () => {});`],
  ])('count before %s', (_what, source) => {
    expect(tagsIn(source)).toEqual(['A-07']);
  });

  it('may name several ids', () => {
    expect(tagsIn(`// A-07, C-12, T3\nit('is accepted', () => {});`)).toEqual(['A-07', 'C-12', 'T3']);
  });

  it.each([
    ['a title', `it('A-07 is accepted', () => {});`],
    ['a comment with other words', `// A-07 says so\nit('is accepted', () => {});`],
    ['a skipped test', `// A-07\nit.skip('is accepted', () => {});`],
    ['a test that is not written yet', `// A-07\nit.todo('is accepted');`],
  ])('do not count in %s', (_what, source) => {
    expect(tagsIn(source)).toEqual([]);
  });
});

describe('requirementsTable', () => {
  const requirements = readRequirements(pageOf(allRows, ['| A-07 | deviates | For a reason |']));
  const everyOther = new Set(requirements.map(({ id }) => id).filter((id) => id !== 'A-07'));

  it('has a row for each requirement, the attacks first, and the reason of an exception', () => {
    const rows = requirementsTable(requirements, [
      { file: 'tests/a/b.test.ts', ids: everyOther },
      { file: 'tests/attack/c.test.ts', ids: new Set(['A-08']) },
    ]).split('\n');
    expect(rows).toHaveLength(107);
    expect(rows[6]).toBe('- A-07 (deviates: For a reason)');
    expect(rows[7]).toBe('- A-08: [attack/c](../tests/attack/c.test.ts), [a/b](../tests/a/b.test.ts)');
  });

  it('throws for a requirement without a test or a reason', () => {
    const tests = [{ file: 'tests/a.test.ts', ids: new Set([...everyOther].slice(1)) }];
    expect(() => requirementsTable(requirements, tests)).toThrow('A-01');
  });

  it('throws if the name of a test has an unlisted id', () => {
    const tests = [{ file: 'tests/a.test.ts', ids: new Set([...everyOther, unlisted]) }];
    expect(() => requirementsTable(requirements, tests)).toThrow(`tests/a.test.ts names ${unlisted}`);
  });

  it('throws if the page has no place for the table', () => {
    expect(() => withTable('# Security\n', '| table |')).toThrow('requirements');
  });
});
