// Reads the library's files with the TypeScript parser: their imports, and the syntax that the house rules forbid.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

export interface Import {
  /** Path of the importing file below its folder, with forward slashes. */
  from: string;
  /** The same for a file of the library, otherwise the specifier as written (`express`, `node:crypto`). */
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

/** Returns every path below the folder with one of the extensions, relative and sorted; nothing if the folder does not exist. */
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

export function readSource(top: string): SourceFile[] {
  const folder = path.join(repository, top);
  return filesBelow(folder, /\.[cm]?ts$/).map((file) =>
    parseSource(file, readFileSync(path.join(folder, file), 'utf8')),
  );
}

/** Reads `src`, by paths below it, and `testing`, by paths that start with `testing/`. */
export function readLibrary(): SourceFile[] {
  const testing = filesBelow(path.join(repository, 'testing'), /\.ts$/).map((file) => {
    const name = `testing/${file}`;
    const source = parseSource(name, readFileSync(path.join(repository, name), 'utf8'));
    const imports = source.imports.map((each) => ({ ...each, to: each.to.replace(/^src\//, '') }));
    return { ...source, imports };
  });
  return [...readSource('src'), ...testing];
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

export function visit(node: ts.Node, onNode: (node: ts.Node) => void): void {
  onNode(node);
  ts.forEachChild(node, (child) => visit(child, onNode));
}

/** Returns `path:line` of every node that matches. */
export function findSyntax(files: SourceFile[], matches: (node: ts.Node) => boolean): string[] {
  const places: string[] = [];
  for (const file of files) {
    visit(file.syntax, (node) => {
      if (!matches(node)) return;
      places.push(`${file.path}:${file.syntax.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
    });
  }
  return places;
}

/** Returns the groups of files that can reach each other (Tarjan), each as one line. */
export function findCircles(files: SourceFile[]): string[] {
  const edges = new Map(
    files.map((file) => [file.path, file.imports.filter((each) => !each.external).map((each) => each.to)]),
  );
  const state = new Map<string, { index: number; low: number; open: boolean }>();
  const stack: string[] = [];
  const circles: string[] = [];
  const enter = (file: string) => {
    const current = { index: state.size, low: state.size, open: true };
    state.set(file, current);
    stack.push(file);
    for (const next of edges.get(file) ?? []) {
      if (!edges.has(next)) continue;
      const neighbor = state.get(next);
      if (!neighbor) current.low = Math.min(current.low, enter(next).low);
      else if (neighbor.open) current.low = Math.min(current.low, neighbor.index);
    }
    if (current.low === current.index) {
      const group = stack.splice(stack.indexOf(file));
      for (const member of group) state.get(member)!.open = false;
      if (group.length > 1 || edges.get(file)?.includes(file)) circles.push(group.sort().join(' <-> '));
    }
    return current;
  };
  for (const file of edges.keys()) if (!state.has(file)) enter(file);
  return circles.sort();
}
