// Reads the project's documents: README and its neighbors, and everything in docs.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { filesBelow, repository } from './source-graph.js';

export interface Document {
  /** Path in the repository, with forward slashes. */
  path: string;
  text: string;
  /** The text with its code fences blanked out, line by line. */
  prose: string;
  fences: Fence[];
}

export interface Fence {
  document: string;
  /** Line of its first line of code, from 1. */
  line: number;
  /** The info string after the backticks: `ts`, `ts nocheck`, `sh`. */
  info: string;
  code: string;
}

/** Whether the code of a fence is for NestJS: `ts nestjs`. */
export const isForNest = (info: string) => /^ts nestjs(\s|$)/.test(info);

/** The file below `tests/moving/apps` of which a fence is an excerpt: `ts from passport/moved.ts`. Its own tests compile and run it. */
export const excerptOf = ({ info }: Fence): string | undefined => /^\w+ from (\S+)$/.exec(info)?.[1];

export function readDocuments(): Document[] {
  const atTop = readdirSync(repository).filter((file) => file.endsWith('.md'));
  const inDocs = filesBelow(path.join(repository, 'docs'), /\.md$/).map((file) => `docs/${file}`);
  return [...atTop, ...inDocs].map((file) =>
    parseDocument(file, readFileSync(path.join(repository, file), 'utf8')),
  );
}

export function parseDocument(file: string, text: string): Document {
  const fences: Fence[] = [];
  const prose: string[] = [];
  let open: (Fence & { indent: number }) | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const mark = /^(\s*)```(.*)$/.exec(line);
    if (open && mark?.[2] === '') {
      fences.push(open);
      open = undefined;
    } else if (open) open.code += `${line.slice(open.indent)}\n`;
    else if (mark)
      open = {
        document: file,
        line: index + 2,
        info: mark[2]!.trim(),
        code: '',
        indent: mark[1]!.length,
      };
    else {
      prose.push(line);
      continue;
    }
    prose.push('');
  }
  if (open) throw new Error(`${file}:${open.line}: a code fence is never closed`);
  return { path: file, text, prose: prose.join('\n'), fences };
}

export interface Link {
  document: string;
  /** Path of the target in the repository. */
  target: string;
  anchor: string | undefined;
}

/** Returns the links within the repository; external links are left out. */
export function linksOf({ path: file, prose }: Document): Link[] {
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, href = '']) => href)
    .filter((href) => !/^[a-z]+:/i.test(href))
    .map((href) => {
      const [relative = '', anchor] = href.split('#');
      const target = relative === '' ? file : path.posix.join(path.posix.dirname(file), relative);
      return { document: file, target, anchor };
    });
}

/** Returns the headings with their levels. */
export function headingsOf({ prose }: Document): { level: number; text: string }[] {
  return [...prose.matchAll(/^(#{1,6}) (.+)$/gm)].map(([, marks = '', text = '']) => ({
    level: marks.length,
    text: text.trim(),
  }));
}

/** Returns the anchors of the headings, as GitHub generates them. */
export function anchorsOf(document: Document): string[] {
  return headingsOf(document).map(({ text }) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Returns the part of a document below a heading, up to the next heading of the same or a higher level. */
export function sectionOf({ text }: Document, heading: string): string | undefined {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^#{1,6} /.test(line) && line.replace(/^#+ /, '') === heading);
  if (start === -1) return undefined;
  const level = /^#+/.exec(lines[start]!)![0].length;
  const end = lines.findIndex((line, index) => index > start && new RegExp(`^#{1,${level}} `).test(line));
  return lines.slice(start + 1, end === -1 ? undefined : end).join('\n');
}
