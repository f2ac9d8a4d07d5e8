// Cells of CSV files that a spreadsheet could run as a formula.
import { parse } from 'csv-parse/sync';
import { csvLine } from '../../src/admin/csv.js';
import { withoutFormula } from '../../src/core/support/spreadsheet-cell.js';

const signs = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
/** Separators of programs, with which the same file is opened. */
const separators = [',', ';', '\t'];
const isFormula = (cell: string) => signs.includes(cell.replace(/^["\s]+/, '').charAt(0));

/** The cells of a program that knows quotes only at the start of a cell. */
const cellsOf = (line: string, separator: string): string[] =>
  parse(line, { delimiter: separator, relax_quotes: true, relax_column_count: true }).flat();

it.each(signs)('a cell that begins with %s is text', (sign) => {
  for (const before of ['', '\t', '\r', '\n']) {
    const cell = `${before}${sign}1+1`;
    expect(withoutFormula(cell).startsWith("'")).toBe(true);
  }
});

it.each(signs)('a cell begins no formula with %s behind a separator of another program', (sign) => {
  for (const inner of [';', '\t', '\r', '\n', '; ', ';"', '\t"', '\r\n'])
    for (const separator of separators) {
      const line = csvLine(['name', `a${inner}${sign}cmd|' /C calc'!A0`, 'end']);
      expect([inner, separator, cellsOf(line, separator).filter(isFormula)]).toEqual([inner, separator, []]);
    }
});

it('leaves other cells as they are, and a parser reads back what was written', () => {
  const cells = [
    ...['', 'Ada', 'ada+news@example.com', 'a=b', 'first; second', 'tab\tbed', 'two\r\nlines', '"quoted"'],
    ...['a, b', '1-2', '{"fields":["email","-"]}', 'Mozilla/5.0 (X11; Linux x86_64)', 'ＡＢＣ', '日本語'],
  ];
  expect(cells.map(withoutFormula)).toEqual(cells);
  expect(parse(csvLine(cells))).toEqual([cells]);
});
