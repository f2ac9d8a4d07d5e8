// `svc-auth pages eject`: the templates in a separate project are typed, and the pages use them.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import express from 'express';
import { createPages, type Templates } from 'svc-auth/pages';
import ts from 'typescript';
import { runCommandLine } from '../support/command-line.js';
import { openSite } from '../support/http-site.js';
import { pageVisitor } from '../support/page-visitor.js';

const repository = path.resolve(import.meta.dirname, '../..');

describe('svc-auth pages eject', () => {
  let project: string;
  // A second check of the project takes over what has not changed.
  let checked: ts.Program | undefined;

  beforeEach(() => {
    project = mkdtempSync(path.join(tmpdir(), 'eject-'));
    writeFileSync(path.join(project, 'tsconfig.json'), '{}');
    writeFileSync(path.join(project, 'package.json'), '{"type":"module"}');
  });
  afterEach(() => rmSync(project, { recursive: true, force: true }));

  /** Type-checks the project with the strictest options. Returns the faults. */
  function faultsIn(folder: string): string[] {
    const options: ts.CompilerOptions = {
      noEmit: true,
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      noUnusedLocals: true,
      noUnusedParameters: true,
      verbatimModuleSyntax: true,
      skipLibCheck: true,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      types: ['node'],
      typeRoots: [path.join(repository, 'node_modules/@types')],
      paths: { 'svc-auth/pages': [path.join(repository, 'src/pages.ts')] },
    };
    const program = ts.createProgram([path.join(folder, 'index.ts')], options, undefined, checked);
    checked = program;
    return readdirSync(folder).flatMap((name) => {
      const file = program.getSourceFile(path.join(folder, name));
      const faults = file
        ? [...program.getSemanticDiagnostics(file), ...program.getSyntacticDiagnostics(file)]
        : [`${name} is not part of the project`];
      return faults.map((fault) =>
        typeof fault === 'string'
          ? fault
          : `${name}: ${ts.flattenDiagnosticMessageText(fault.messageText, '\n')}`,
      );
    });
  }

  it('writes templates that compile in a strict project, import only svc-auth/pages, and replace those of the package', async () => {
    const { code, out } = await runCommandLine(['pages', 'eject', 'screens'], { folder: project });
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /^Wrote \d+ files to screens\. Pass the templates of its index to createPages\.\n$/,
      ),
    ]);
    const folder = path.join(project, 'screens');
    for (const name of readdirSync(folder)) {
      const imported = [...readFileSync(path.join(folder, name), 'utf8').matchAll(/from '([^']+)'/g)];
      for (const [, from = ''] of imported) expect(from).toMatch(/^(?:svc-auth\/pages|\.\/[\w-]+\.js)$/);
    }
    expect(faultsIn(folder)).toEqual([]);

    // The application changes one of them.
    const file = path.join(folder, 'sign-in.ts');
    const source = readFileSync(file, 'utf8').replace('<h1>', '<p>Welcome back.</p><h1>');
    writeFileSync(file, source.replace('view.title', 'view.heading'));
    expect(faultsIn(folder).join()).toContain("Property 'heading' does not exist");
    writeFileSync(file, source);

    const { templates } = await templatesIn(folder);
    const site = await openSite(express, undefined, {
      after: (app, { service }) => void app.use('/app', createPages(service, { name: 'Acme', templates })),
    });
    const browser = pageVisitor(site);
    const page = await browser.get('/app/sign-in?next=/notes');
    expect(page.text).toContain('<p>Welcome back.</p><h1>Sign in to Acme</h1>');
    const { user } = await site.signUp();
    await browser.submit({ email: user.email as string });
    await browser.follow();
    expect((await browser.submit({ password: 'wrong horse battery' })).text).toContain(
      'id="field-password-error">',
    );
    await site.close();
  });

  it('writes the chosen templates and what they share, and adds further ones to an index that is unchanged', async () => {
    const folder = path.join(project, 'screens');
    const eject = (...only: string[]) =>
      runCommandLine(['pages', 'eject', 'screens', ...only.flatMap((name) => ['--only', name])], {
        folder: project,
      });
    expect((await eject('password', 'account-tokens')).out).toMatch(/^Wrote 7 files to screens\./);
    const shared = ['account-tokens', 'index', 'key-rows', 'last-used', 'others', 'password', 'providers'];
    expect(readdirSync(folder)).toEqual(shared.map((name) => `${name}.ts`));
    expect(Object.keys((await templatesIn(folder)).templates)).toEqual(['accountTokens', 'password']);
    expect(faultsIn(folder)).toEqual([]);

    expect((await eject('document')).code).toBe(0);
    expect(readFileSync(path.join(folder, 'index.ts'), 'utf8')).toMatch(
      /accountTokens,\n {2}document,\n {2}password,\n/,
    );
    const changed = '// mine';
    writeFileSync(path.join(folder, 'index.ts'), changed);
    expect((await eject('sign-in')).out).toContain('Add: signIn');
    expect(readFileSync(path.join(folder, 'index.ts'), 'utf8')).toBe(changed);
    const { code, err } = await eject('sign-inn');
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('There is no template sign-inn. Did you mean sign-in?'),
    ]);
  });

  it('overwrites no file, and writes none then', async () => {
    const folder = path.join(project, 'auth-pages');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'password.ts'), '// mine');
    const { code, err } = await runCommandLine(['pages', 'eject'], { folder: project });
    expect([code, err]).toEqual([1, expect.stringContaining('already exists and will not be overwritten.')]);
    expect(readdirSync(folder)).toEqual(['password.ts']);
    expect(readFileSync(path.join(folder, 'password.ts'), 'utf8')).toBe('// mine');
  });

  it('refuses an unknown command and a second folder, and prints its help', async () => {
    for (const args of [
      ['pages', 'inject'],
      ['pages', 'eject', 'a', 'b'],
    ])
      expect((await runCommandLine(args, { folder: project })).code).toBe(2);
    expect((await runCommandLine(['pages'], { folder: project })).out).toContain('svc-auth pages eject');
    expect(existsSync(path.join(project, 'a'))).toBe(false);
  });

  async function templatesIn(folder: string): Promise<{ templates: Templates }> {
    return (await import(path.join(folder, 'index.ts'))) as { templates: Templates };
  }
});
