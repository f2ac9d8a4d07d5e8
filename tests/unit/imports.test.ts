// What an import of svc-auth may not load. The packed build is measured in tests/packaging; this
// names the line.
import ts from 'typescript';
import { readSource } from '../architecture/source-graph.js';

const heavy = [
  'zod',
  'bcrypt',
  'express',
  'cookie-parser',
  'jsonwebtoken',
  'knex',
  'pg',
  'nodemailer',
  'openid-client',
  'ipaddr.js',
  'libphonenumber-js',
  'otpauth',
  '@simplewebauthn/server',
  '@electric-sql/pglite',
  'knex-pglite',
];

/** Packages of values, not types, that a module loads as soon as it is imported. */
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

describe('An import of svc-auth', () => {
  it('loads no heavy package before it is needed', () => {
    const source = readSource();
    expect(source.length).toBeGreaterThan(50);
    const loading = source.flatMap((file) =>
      loadedAtImport(file.syntax)
        .filter((name) => heavy.some((each) => name === each || name.startsWith(`${each}/`)))
        .map((name) => `${file.path}: ${name}`),
    );
    expect(loading).toEqual([]);
  });

  it('would be caught at it', () => {
    const parse = (text: string) => loadedAtImport(ts.createSourceFile('x.ts', text, ts.ScriptTarget.ES2022));
    expect(parse(`import { z } from 'zod';`)).toEqual(['zod']);
    expect(parse(`import 'zod';`)).toEqual(['zod']);
    expect(parse(`export { z } from 'zod';`)).toEqual(['zod']);
    expect(parse(`import type { z } from 'zod';`)).toEqual([]);
  });
});
