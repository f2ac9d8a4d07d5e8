// Where a string stops being JSON.
import fc from 'fast-check';
import { jsonFault } from '../../src/admin/json-fault.js';

describe('jsonFault', () => {
  it.each([
    ['', 1, 1],
    ['{', 1, 2],
    ['{"a": 1,}', 1, 9],
    ['{"a" 1}', 1, 6],
    ['{a: 1}', 1, 2],
    ['[1, 2', 1, 6],
    ['{\n  "plan": pro\n}', 2, 11],
    ['{"a": 01}', 1, 8],
    ['{"a": "x\ny"}', 1, 7],
    ['{"a": 1} x', 1, 10],
    ["{'a': 1}", 1, 2],
  ])('finds the first character of %j that does not fit', (text, line, column) => {
    expect(jsonFault(text)).toEqual({ line, column });
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  it('returns null for all JSON, with any blanks', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.constantFrom(undefined, 2, '\t'), (value, space) => {
        expect(jsonFault(JSON.stringify(value, null, space))).toBeNull();
      }),
    );
  });

  it('agrees with JSON.parse on strings that are nearly JSON', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '1',
      '-',
      '.5',
      'e3',
      'null',
      ' ',
      '\n',
      '"',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        expect([text, jsonFault(text) === null]).toEqual([text, isJson]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('ends for any number of levels', () => {
    expect(jsonFault('['.repeat(100_000))).toMatchObject({ line: 1 });
    expect(jsonFault('{"a":'.repeat(50_000))).toMatchObject({ line: 1 });
  });
});
