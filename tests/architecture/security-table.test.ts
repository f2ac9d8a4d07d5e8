// The table of requirements in docs/security.md: what counts as a proof, and what the generator does not let pass.
import { requirementsTable, withTable } from '../../scripts/generate-security-table.js';
import { idsInNames, readRequirements } from '../../scripts/security-requirements.js';

/** Just past the list. Not spelt out: ids in tests are looked up in it. */
const unlisted = `A-${101}`;
const idAt = (index: number) => `A-${String(index + 1).padStart(2, '0')}`;
const allRows = Array.from({ length: 100 }, (_, index) => `| ${idAt(index)} | source | text |`);

/** A page of requirements with these rows, and these exceptions. */
const pageOf = (rows: string[], exceptions: string[] = []) =>
  [...rows, '', '## Not held by a test, or not as written', '', ...exceptions, ''].join('\n');

describe('The list of requirements', () => {
  it.each([
    ['lacks an id', pageOf(allRows.slice(1)), 'A-01'],
    ['has an id twice', pageOf([...allRows, allRows[99]!]), 'once'],
    ['has a row without a text', pageOf(allRows.with(6, '| A-07 | source |  |')), 'A-07'],
    ['has a state that is none', pageOf(allRows, ['| A-07 | perhaps | why |']), 'perhaps'],
    ['has a state without a reason', pageOf(allRows, ['| A-07 | deviates |  |']), 'A-07'],
    [
      'has two states for one id',
      pageOf(allRows, Array(2).fill('| A-07 | held | why |') as string[]),
      'A-07',
    ],
    ['has a state for what is not listed', pageOf(allRows, [`| ${unlisted} | held | why |`]), unlisted],
    ['has no place for exceptions', allRows.join('\n'), 'heading'],
  ])('is refused where it %s', (_what, page, told) => {
    expect(() => readRequirements(page)).toThrow(told);
  });
});

describe('The names of tests', () => {
  it.each([
    ['a test', `it('A-07 holds', () => {});`],
    ['a group', `describe('Holds A-07', () => { it('so', () => {}); });`],
    ['a group on every storage', `describeAdapters('A-07', (on) => { it('so', () => {}); });`],
    ['a template', 'test(`${name}: A-07 holds`, () => {});'],
    ['a name that stands behind rows', `it.each(rows)('A-07 %s', (row) => {});`],
    ['rows that become names', `it.each([['A-07 so'], ['or so']])('%s', (row) => {});`],
    ['a test in a loop in a group', `describe('x', () => { for (const y of z) it('A-07', () => {}); });`],
  ])('prove what they name: %s', (_what, source) => {
    expect([...idsInNames('x.test.ts', source)]).toEqual(['A-07']);
  });

  it.each([
    ['a comment', `// A-07\nit('holds', () => {});`],
    ['a text within a test', `it('holds', () => { expect('A-07').toBe('A-07'); });`],
    ['a test that is skipped', `it.skip('A-07 holds', () => {});`],
    ['a test to be written', `it.todo('A-07 holds');`],
  ])('are not found in %s', (_what, source) => {
    expect([...idsInNames('x.test.ts', source)]).toEqual([]);
  });
});

describe('The table', () => {
  const requirements = readRequirements(pageOf(allRows, ['| A-07 | deviates | For a reason |']));
  const everyOther = new Set(requirements.map(({ id }) => id).filter((id) => id !== 'A-07'));

  it('has a row for each, the attacks first, and the reason where it is not held as written', () => {
    const rows = requirementsTable(requirements, [
      { file: 'tests/a/b.test.ts', ids: everyOther },
      { file: 'tests/attack/c.test.ts', ids: new Set(['A-08']) },
    ]).split('\n');
    expect(rows).toHaveLength(102);
    expect(rows[2 + 6]).toBe('| A-07 | text | deviates | For a reason. |');
    expect(rows[2 + 7]).toBe(
      '| A-08 | text | held | [attack/c](../tests/attack/c.test.ts), [a/b](../tests/a/b.test.ts) |',
    );
  });

  it('is not written without a proof or a reason for each', () => {
    const tests = [{ file: 'tests/a.test.ts', ids: new Set([...everyOther].slice(1)) }];
    expect(() => requirementsTable(requirements, tests)).toThrow('A-01');
  });

  it('is not written while a test names what is not listed', () => {
    const tests = [{ file: 'tests/a.test.ts', ids: new Set([...everyOther, unlisted]) }];
    expect(() => requirementsTable(requirements, tests)).toThrow(`tests/a.test.ts names ${unlisted}`);
  });

  it('needs its place in the page', () => {
    expect(() => withTable('# Security\n', '| table |')).toThrow('requirements');
  });
});
