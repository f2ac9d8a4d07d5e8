// The guides of docs/moving show what the tests run: every block of code is an excerpt of a kept application, and every command is one that its test runs.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import {
  excerptOf,
  headingsOf,
  parseDocument,
  readDocuments,
  type Fence,
} from '../architecture/documents.js';
import { filesBelow } from '../architecture/source-graph.js';

const apps = path.resolve(import.meta.dirname, 'apps');
const pages = readDocuments().filter((document) => document.path.startsWith('docs/moving/'));
const guides = pages.filter((document) => !document.path.endsWith('/README.md'));
const fences = guides.flatMap((guide) => guide.fences);

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Returns the first lines of an excerpt that are not in the file, in their order. A line `…` stands for any number of lines. */
function missingFrom(text: string, excerpt: string): string | undefined {
  const lines = linesOf(text);
  let from = 0;
  for (const part of partsOf(linesOf(excerpt))) {
    const last = lines.length - part.length;
    let at = from;
    while (at <= last && !part.every((line, offset) => lines[at + offset] === line)) at += 1;
    if (at > last) return part.join('\n');
    from = at + part.length;
  }
  return undefined;
}

function partsOf(lines: readonly string[]): string[][] {
  const parts: string[][] = [[]];
  for (const line of lines) {
    if (line === '…') parts.push([]);
    else parts.at(-1)?.push(line);
  }
  return parts.filter((part) => part.length > 0);
}

const scripts = filesBelow(apps, /\.(?:sh|sql)$/).filter((file) => !file.startsWith('node_modules/'));

describe('The guides of docs/moving', () => {
  it.each([
    'authjs',
    'better-auth',
    'express-session',
    'jwt',
    'lucia',
    'nestjs',
    'passport-google',
    'passport-local',
  ])('have a page for %s with the same headings as the others', (name) => {
    const guide = guides.find((each) => each.path === `docs/moving/${name}.md`);
    const headings = guide && headingsOf(guide).filter(({ level }) => level === 2);
    expect(headings?.map(({ text }) => text)).toEqual([
      'Before',
      'After',
      'Commands',
      'What users notice',
      'Roll back',
      'Not carried',
    ]);
  });

  it('show code only from kept applications', () => {
    const others = fences.filter((fence) => {
      const file = excerptOf(fence);
      return file === undefined || !existsSync(path.join(apps, file));
    });
    expect(others.map(({ document, line, info }) => `${document}:${line}: ${info}`)).toEqual([]);
  });

  it.each(fences.map((fence): [string, Fence] => [`${fence.document}:${fence.line}`, fence]))(
    'show at %s what is in the application',
    (_place, fence) => {
      const text = readFileSync(path.join(apps, excerptOf(fence) ?? ''), 'utf8');
      expect(missingFrom(text, fence.code)).toBeUndefined();
    },
  );

  it('show every command and every statement that the tests run, as a whole', () => {
    const shown = (file: string) => fences.filter((fence) => excerptOf(fence) === file);
    const hidden = scripts.filter((file) => {
      const text = linesOf(readFileSync(path.join(apps, file), 'utf8'));
      return !shown(file).some(({ code }) => linesOf(code).join('\n') === text.join('\n'));
    });
    expect(hidden).toEqual([]);
  });

  it('show commands and statements that a test runs', () => {
    const tests = readdirSync(import.meta.dirname)
      .filter((file) => /(?<!guides)\.test\.ts$/.test(file))
      .map((file) =>
        readFileSync(path.join(import.meta.dirname, file), 'utf8').replaceAll('${hash}', 'bcrypt'),
      )
      .join('\n');
    const run = (file: string) => tests.includes(file.replace('pbkdf2', 'bcrypt'));
    expect(scripts.length).toBeGreaterThan(8);
    expect(scripts.filter((file) => !run(file))).toEqual([]);
  });
});

describe('The comparison with an application', () => {
  const file = 'a(\n  1,\n\n  2,\n);\nb();\nc();\n';
  const excerpt = (code: string) =>
    parseDocument('a.md', `\`\`\`ts from x/y.ts\n${code}\n\`\`\`\n`).fences[0];

  it('reads the name of the file', () => {
    expect(excerptOf(excerpt('a')!)).toBe('x/y.ts');
  });

  it.each([['1,\n2,'], ['  a(\n…\n);'], ['a(\n…\nc();']])('accepts %j', (code) => {
    expect(missingFrom(file, code)).toBeUndefined();
  });

  it.each([
    ['d();', 'd();'],
    ['a(\n2,', 'a(\n2,'],
    ['c();\n…\nb();', 'b();'],
    ['b()', 'b()'],
  ])('refuses %j', (code, missing) => {
    expect(missingFrom(file, code)).toBe(missing);
  });
});
