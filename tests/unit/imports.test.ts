// The packages that an import must not load. tests/packaging measures the packed build; this test
// names the line.
import ts from 'typescript';
import { readLibrary, type SourceFile } from '../architecture/source-graph.js';

const heavy = [
  'bcrypt',
  'express',
  'jsonwebtoken',
  'knex',
  'pg',
  'nodemailer',
  'openid-client',
  'ipaddr.js',
  'libphonenumber-js',
  'lean-qr',
  'otpauth',
  '@simplewebauthn/server',
  '@electric-sql/pglite',
  'knex-pglite',
];

/** Returns the packages that a module loads on import, without imports of types. */
function loadedAtImport(file: ts.SourceFile): string[] {
  return file.statements.flatMap((statement) => {
    const isImport = ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement);
    if (!isImport || !statement.moduleSpecifier || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
    const typesOnly = ts.isImportDeclaration(statement)
      ? statement.importClause?.isTypeOnly === true
      : statement.isTypeOnly;
    return typesOnly ? [] : [statement.moduleSpecifier.text];
  });
}

/** The files that an import of `entry` runs. */
function reachedFrom(entry: string, source: SourceFile[]): SourceFile[] {
  const files = new Map(source.map((file) => [file.path, file]));
  const reached = new Set<SourceFile>();
  const pending = [entry];
  for (const path of pending) {
    const file = files.get(path);
    if (!file || reached.has(file)) continue;
    reached.add(file);
    pending.push(...file.imports.filter((each) => !each.external && !each.typeOnly).map(({ to }) => to));
  }
  return [...reached];
}

describe('An import', () => {
  const source = readLibrary();

  it('of svc-auth loads no package that only some applications need', () => {
    expect(source.length).toBeGreaterThan(50);
    const loading = source.flatMap((file) =>
      loadedAtImport(file.syntax)
        .filter((name) => heavy.some((heavyName) => name === heavyName || name.startsWith(`${heavyName}/`)))
        .map((name) => `${file.path}: ${name}`),
    );
    expect(loading).toEqual([]);
  });

  it.each(['token.ts', 'client.ts', 'server.ts'])('of %s does not load zod', (entry) => {
    const loadsZod = (file: SourceFile) => loadedAtImport(file.syntax).includes('zod');
    expect(reachedFrom(entry, source).filter(loadsZod)).toEqual([]);
    expect(reachedFrom('index.ts', source).filter(loadsZod)).not.toEqual([]);
  });

  it('is recognized in every form', () => {
    const parse = (text: string) => loadedAtImport(ts.createSourceFile('x.ts', text, ts.ScriptTarget.ES2022));
    expect(parse(`import { z } from 'zod';`)).toEqual(['zod']);
    expect(parse(`import 'zod';`)).toEqual(['zod']);
    expect(parse(`export { z } from 'zod';`)).toEqual(['zod']);
    expect(parse(`import type { z } from 'zod';`)).toEqual([]);
  });
});
