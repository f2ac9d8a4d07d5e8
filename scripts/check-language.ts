/**
 * Fails on wording that readers have to decode: `npm run lint` runs it on every file that people read, and
 * `npx tsx scripts/check-language.ts <path>…` on some of them. It reads comments and strings of code, and the prose of pages.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { bannedPatterns, exceptions } from './banned-patterns.js';

interface Finding {
  file: string;
  line: number;
  excerpt: string;
  instead: string;
}

interface Passage {
  line: number;
  text: string;
}

const checkedFiles = /\.(ts|mts|mjs|cjs|js|md|html|json|yml)$/;
const uncheckedFiles =
  /^(package(-lock)?\.json|cspell\.json|src\/(?:admin|pages)\/texts\/[^/]+\/.*|src\/core\/mail\/texts\/(?!en\.|built-in\.).*|tsconfig\.json|LICENSE|scripts\/banned-patterns\.ts|tests\/architecture\/language\.test\.ts)$|\/tsconfig\.json$/;

/** Returns every use of a banned pattern in the passages of a file. */
export function findBannedPatterns(file: string, text: string): Finding[] {
  return passagesOf(file, text).flatMap((passage) =>
    bannedPatterns.flatMap(({ pattern, instead }) =>
      [...passage.text.matchAll(pattern)]
        .map(({ index }) => ({
          file,
          line: passage.line + passage.text.slice(0, index).split('\n').length - 1,
          excerpt: excerptAt(passage.text, index),
          instead,
        }))
        .filter(({ excerpt }) => !exceptions.some((each) => excerpt.includes(each))),
    ),
  );
}

function excerptAt(text: string, index: number): string {
  return text.slice(Math.max(0, index - 50), index + 60).replace(/\s+/g, ' ');
}

function passagesOf(file: string, text: string): Passage[] {
  if (/\.(ts|mts|mjs|cjs|js)$/.test(file)) return codePassages(file, text);
  if (file.endsWith('.md')) return [{ line: 1, text: withoutCode(text) }];
  return [{ line: 1, text }];
}

/** Blanks fenced code except for its comments, and inline code. */
function withoutCode(text: string): string {
  const fences = text.replace(/^```[^]*?^```/gm, (fence) =>
    fence
      .split('\n')
      .map((line) => /(?:^|\s)(?:\/\/|#) (.*)$/.exec(line)?.[1] ?? '')
      .join('\n'),
  );
  return fences.replace(/`[^`\n]*`/g, '`code`').replace(/\]\([^)]*\)/g, ']()');
}

/** Comments, and strings that contain a space. */
function codePassages(file: string, text: string): Passage[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true, ts.ScriptKind.TS);
  const passages: Passage[] = [];
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
  const visit = (node: ts.Node) => {
    const isText =
      ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isText && node.text.includes(' ')) passages.push({ line: lineOf(node.getStart()), text: node.text });
    ts.forEachChild(node, visit);
  };
  visit(source);
  for (const { pos, end } of commentsOf(source)) {
    // The stars of a block comment are not words; a sentence may go over the end of a line.
    const comment = text
      .slice(pos, end)
      .replace(/^\s*\*/gm, ' ')
      .replace(/`[^`\n]*`/g, '`code`');
    passages.push({ line: lineOf(pos), text: comment });
  }
  return passages;
}

function commentsOf(source: ts.SourceFile): ts.CommentRange[] {
  const byPosition = new Map<number, ts.CommentRange>();
  const visit = (node: ts.Node) => {
    const leading = ts.getLeadingCommentRanges(source.text, node.getFullStart()) ?? [];
    const trailing = ts.getTrailingCommentRanges(source.text, node.getEnd()) ?? [];
    for (const range of [...leading, ...trailing]) byPosition.set(range.pos, range);
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  return [...byPosition.values()];
}

function trackedFiles(paths: readonly string[]): string[] {
  const listed = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...paths],
    {
      encoding: 'utf8',
    },
  );
  return listed.split('\n').filter((file) => checkedFiles.test(file) && !uncheckedFiles.test(file));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const findings = trackedFiles(process.argv.slice(2)).flatMap((file) =>
    findBannedPatterns(file, readFileSync(file, 'utf8')),
  );
  for (const { file, line, excerpt, instead } of findings)
    console.error(`${file}:${line}: "${excerpt.trim()}"\n  ${instead}`);
  if (findings.length > 0) {
    console.error(`${findings.length} passages to reword (CONTRIBUTING.md, Language).`);
    process.exitCode = 1;
  }
}
