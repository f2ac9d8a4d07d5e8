// Rules that a linter comment could disable, and rules that no linter has.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { filesBelow, findSyntax, parseSource, readLibrary, repository } from './source-graph.js';

const longest = 250;

/** Files of src that may be longer, each with the reason. */
const longFiles: Record<string, string> = {
  'errors/catalog.ts': 'one short class per error code, in the order of the codes',
  'client/responses.ts': 'one short interface per response',
  'http/response-schemas.ts': 'one short schema per response',
  'testing/conformance/refresh-families.ts':
    'one chapter of the conformance suite, with every case of a rotation in one place',
};

const isAny = (node: ts.Node) => node.kind === ts.SyntaxKind.AnyKeyword;

const isDefaultExport = (node: ts.Node) =>
  ts.isExportAssignment(node) ||
  (node.kind === ts.SyntaxKind.DefaultKeyword && !ts.isDefaultClause(node.parent)) ||
  (ts.isExportSpecifier(node) && node.name.text === 'default');

const isMathRandom = (node: ts.Node) =>
  (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) &&
  /^Math(\.random|\[['"]random['"]\])$/.test(node.getText());

const linesOf = (text: string) => text.replace(/\n$/, '').split('\n').length;

describe('The source', () => {
  const source = readLibrary();

  it('is read', () => {
    expect(source.length).toBeGreaterThan(0);
  });

  it('has no `any`', () => {
    expect(findSyntax(source, isAny)).toEqual([]);
  });

  it('has no default export', () => {
    expect(findSyntax(source, isDefaultExport)).toEqual([]);
  });

  it('never calls Math.random', () => {
    expect(findSyntax(source, isMathRandom)).toEqual([]);
  });

  it(`has no file over ${longest} lines except those listed with a reason`, () => {
    const long = source.filter((file) => linesOf(file.text) > longest && !longFiles[file.path]);
    expect(long.map((file) => `${file.path}: ${linesOf(file.text)} lines`)).toEqual([]);
  });

  it('lists only files that are long', () => {
    const long = new Set(source.filter((file) => linesOf(file.text) > longest).map((file) => file.path));
    expect(Object.keys(longFiles).filter((file) => !long.has(file))).toEqual([]);
  });
});

describe('The repository', () => {
  it.each(['src', 'testing', 'tests', 'example-app', 'bench'])(
    'has no utils, helpers or common in %s',
    (folder) => {
      const vague = /(^|\/)(utils?|helpers?|common)(\.[^/]*)?(\/|$)/i;
      const paths = filesBelow(path.join(repository, folder), /\.(ts|js|mjs|cjs)$/);
      expect(paths.filter((file) => vague.test(file))).toEqual([]);
    },
  );

  it('starts installed servers only in tests of tests/servers, which `npm test` leaves out', () => {
    const tests = path.join(repository, 'tests');
    const starts = /^support\/(mariadb|mariadb-server|redis-server|pgbouncer|replicated-postgres)\.ts$/;
    const starting = filesBelow(tests, /\.test\.ts$/).filter((file) =>
      parseSource(file, readFileSync(path.join(tests, file), 'utf8')).imports.some(({ to }) =>
        starts.test(to),
      ),
    );
    expect(starting.length).toBeGreaterThan(0);
    expect(starting.filter((file) => !file.startsWith('servers/'))).toEqual([]);
  });
});

describe('The reader of syntax', () => {
  it.each([
    ['any', isAny, 'const x: any = 1;'],
    ['any in a generic', isAny, 'const x = new Map<string, any>();'],
    ['a default export', isDefaultExport, 'export default 1;'],
    ['a default function', isDefaultExport, 'export default function f() {}'],
    ['a renamed default', isDefaultExport, 'const a = 1; export { a as default };'],
    ['Math.random', isMathRandom, 'const pick = Math.random;'],
  ])('notices %s', (_name, question, text) => {
    expect(findSyntax([parseSource('made-up.ts', text)], question)).toEqual(['made-up.ts:1']);
  });

  it('ignores words in comments and strings, and a default case', () => {
    const text = "// any Math.random\nswitch ('any Math.random') { default: }";
    const file = parseSource('made-up.ts', text);
    expect(
      [isAny, isDefaultExport, isMathRandom].flatMap((question) => findSyntax([file], question)),
    ).toEqual([]);
  });
});
