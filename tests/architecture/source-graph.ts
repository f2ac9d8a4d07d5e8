// Reads src/**/*.ts with the TypeScript parser: which file imports what, and where the syntax is that the house forbids.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

export interface Import {
  /** Path of the importing file under src, with forward slashes. */
  from: string;
  /** The same for a file of ours, else the specifier as it is written (`express`, `node:crypto`). */
  to: string;
  external: boolean;
  /** Erased at build time: `import type`, `typeof import(…)`, `import('…').Name`. */
  typeOnly: boolean;
  names: string[];
}

export interface SourceFile {
  path: string;
  text: string;
  syntax: ts.SourceFile;
  imports: Import[];
}

/** Every path below the folder with one of the endings, relative to it, sorted; nothing when it does not exist. */
export function filesBelow(folder: string, ending: RegExp): string[] {
  const skipped = new Set(['node_modules', 'dist', 'data', 'coverage']);
  const walk = (relative: string): string[] =>
    readdirSync(path.join(folder, relative), { withFileTypes: true }).flatMap((entry) => {
      const child = path.posix.join(relative, entry.name);
      if (entry.isDirectory()) return skipped.has(entry.name) ? [] : walk(child);
      return ending.test(entry.name) ? [child] : [];
    });
  try {
    return walk('').sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

export function readSource(top = 'src'): SourceFile[] {
  const folder = path.join(repository, top);
  return filesBelow(folder, /\.[cm]?ts$/).map((file) =>
    parseSource(file, readFileSync(path.join(folder, file), 'utf8')),
  );
}

export function parseSource(file: string, text: string): SourceFile {
  const syntax = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true, ts.ScriptKind.TS);
  const imports: Import[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean, names: string[] = []) => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) return;
    const external = !specifier.text.startsWith('.');
    const to = external ? specifier.text : path.posix.join(path.posix.dirname(file), specifier.text);
    imports.push({
      from: file,
      to: external ? to : to.replace(/\.js$/, '.ts').replace(/\.cjs$/, '.d.cts'),
      external,
      typeOnly,
      names,
    });
  };
  visit(syntax, (node) => {
    if (ts.isImportDeclaration(node)) {
      const clause = node.importClause;
      const named =
        clause?.namedBindings && ts.isNamedImports(clause.namedBindings) ? clause.namedBindings : undefined;
      const specifiers = named?.elements ?? [];
      const allTypes = specifiers.length > 0 && !clause?.name && specifiers.every((each) => each.isTypeOnly);
      const names = specifiers.map((each) => (each.propertyName ?? each.name).text);
      add(node.moduleSpecifier, Boolean(clause?.isTypeOnly) || allTypes, names);
    } else if (ts.isExportDeclaration(node)) {
      const specifiers =
        node.exportClause && ts.isNamedExports(node.exportClause) ? node.exportClause.elements : [];
      const allTypes = specifiers.length > 0 && specifiers.every((each) => each.isTypeOnly);
      const names = specifiers.map((each) => (each.propertyName ?? each.name).text);
      add(node.moduleSpecifier, node.isTypeOnly || allTypes, names);
    } else if (ts.isImportTypeNode(node)) {
      if (ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    } else if (ts.isCallExpression(node)) {
      const callee = node.expression;
      const loads =
        callee.kind === ts.SyntaxKind.ImportKeyword ||
        (ts.isIdentifier(callee) && /^require/.test(callee.text));
      if (loads) add(node.arguments[0], false);
    } else if (ts.isExternalModuleReference(node)) {
      add(node.expression, false);
    } else if (ts.isModuleDeclaration(node) && ts.isStringLiteral(node.name)) {
      add(node.name, true);
    }
  });
  return { path: file, text, syntax, imports };
}

export function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}

/** `path:line` of every node that the question says yes to. */
export function findSyntax(files: SourceFile[], question: (node: ts.Node) => boolean): string[] {
  const found: string[] = [];
  for (const file of files) {
    visit(file.syntax, (node) => {
      if (!question(node)) return;
      found.push(`${file.path}:${file.syntax.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
    });
  }
  return found;
}

/** The groups of files that can reach each other (Tarjan), each as one readable line. */
export function findCircles(files: SourceFile[]): string[] {
  const edges = new Map(
    files.map((file) => [file.path, file.imports.filter((each) => !each.external).map((each) => each.to)]),
  );
  const state = new Map<string, { index: number; low: number; open: boolean }>();
  const stack: string[] = [];
  const circles: string[] = [];
  const enter = (file: string) => {
    const mine = { index: state.size, low: state.size, open: true };
    state.set(file, mine);
    stack.push(file);
    for (const next of edges.get(file) ?? []) {
      if (!edges.has(next)) continue;
      const seen = state.get(next);
      if (!seen) mine.low = Math.min(mine.low, enter(next).low);
      else if (seen.open) mine.low = Math.min(mine.low, seen.index);
    }
    if (mine.low === mine.index) {
      const group = stack.splice(stack.indexOf(file));
      for (const member of group) state.get(member)!.open = false;
      if (group.length > 1 || edges.get(file)?.includes(file)) circles.push(group.sort().join(' <-> '));
    }
    return mine;
  };
  for (const file of edges.keys()) if (!state.has(file)) enter(file);
  return circles.sort();
}
