/** The templates in the package, and their copies in a project. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageVersion, templatesFolder } from './package-files.js';

/** `esm` and `cjs` are JavaScript with the types in comments. */
export type TemplateSyntax = 'ts' | 'esm' | 'cjs';

export class PageTemplates {
  /** The names of the templates in `createPages`, by those of their files. */
  private readonly exported: ReadonlyMap<string, string>;
  private readonly source = templatesFolder();
  private readonly ending: string;

  constructor(private readonly syntax: TemplateSyntax) {
    this.ending = syntax === 'ts' ? '.ts' : '.js';
    const index = readFileSync(path.join(this.source, 'index.ts'), 'utf8');
    this.exported = new Map(
      [...index.matchAll(/^import \{ (\w+) \} from '\.\/([\w-]+)\.js'/gm)].map(([, name = '', file = '']) => [
        file,
        name,
      ]),
    );
  }

  /** The names of the files, without their ending. */
  get names(): string[] {
    return [...this.exported.keys()];
  }

  /**
   * Writes templates, the parts that they share, and the index.
   * @param chosen the names of the files; all if it is empty.
   * @returns the files; and what the application has to add to its index, because it has changed it.
   * @throws Error if one of the templates exists.
   */
  writeTo(folder: string, chosen: readonly string[]): { files: string[]; missingInIndex: string[] } {
    const names = chosen.length > 0 ? chosen : this.names;
    const wanted = names.map((name) => name + this.ending);
    // All are checked before one is written.
    for (const file of wanted) refuseToOverwrite(path.join(folder, file));
    const shared = this.sharedBy(names)
      .map((name) => name + this.ending)
      .filter((file) => !existsSync(path.join(folder, file)));
    const index = this.indexFor(folder, names);
    if (index === null && chosen.length === 0) refuseToOverwrite(path.join(folder, `index${this.ending}`));
    mkdirSync(folder, { recursive: true });
    const texts = [...wanted, ...shared].map((file) => [file, this.textOf(file)] as const);
    for (const [file, text] of texts) writeFileSync(path.join(folder, file), text, { flag: 'wx' });
    if (index === null)
      return { files: [...wanted, ...shared], missingInIndex: names.map((name) => this.exported.get(name)!) };
    writeFileSync(path.join(folder, `index${this.ending}`), index);
    return { files: [...wanted, ...shared, `index${this.ending}`], missingInIndex: [] };
  }

  /** The files that templates import, and those that these import. */
  private sharedBy(names: readonly string[]): string[] {
    const found = new Set<string>();
    const collect = (name: string): void => {
      for (const [, imported = ''] of this.read(name + this.ending).matchAll(/from '\.\/([\w-]+)\.js'/g)) {
        if (found.has(imported)) continue;
        found.add(imported);
        collect(imported);
      }
    };
    for (const name of names) collect(name);
    return [...found].filter((name) => !names.includes(name));
  }

  /** Returns the index with further templates; null if the application has changed its index. */
  private indexFor(folder: string, names: readonly string[]): string | null {
    const file = path.join(folder, `index${this.ending}`);
    if (!existsSync(file)) return this.indexOf(names);
    const present = readFileSync(file, 'utf8');
    const before = this.names.filter((name) => new RegExp(`'\\./${name}\\.js'`).test(present));
    if (present !== this.indexOf(before)) return null;
    return this.indexOf([...before, ...names]);
  }

  private indexOf(chosen: readonly string[]): string {
    const names = this.names.filter((name) => chosen.includes(name));
    const imports = names.map((name) => `import { ${this.exported.get(name)} } from './${name}.js';\n`);
    const list = names.map((name) => `  ${this.exported.get(name)},\n`);
    const [type, comment] =
      this.syntax === 'ts'
        ? [': Partial<Templates>', '']
        : ['', `/** @type {Partial<import('svc-auth/pages').Templates>} */\n`];
    const typeImport = this.syntax === 'ts' ? `import type { Templates } from 'svc-auth/pages';\n` : '';
    return this.inSyntax(
      `/** The templates of this application. The pages use those of svc-auth for the others. */\n` +
        `${typeImport}${imports.join('')}\n${comment}export const templates${type} = {\n${list.join('')}};\n`,
    );
  }

  private read(file: string): string {
    return readFileSync(path.join(this.source, this.syntax === 'ts' ? '' : 'js', file), 'utf8');
  }

  private textOf(file: string): string {
    const text = this.read(file).replaceAll(`'../template.js'`, `'svc-auth/pages'`);
    return `// From svc-auth ${packageVersion()}\n${this.inSyntax(text)}`;
  }

  private inSyntax(text: string): string {
    if (this.syntax !== 'cjs') return text;
    const names = [...text.matchAll(/^export (?:function|const) (\w+)/gm)].map(([, name = '']) => name);
    return `${text
      .replace(/^import (\{[^}]*\}) from ('[^']+');/gm, 'const $1 = require($2);')
      .replace(/^export /gm, '')}\nmodule.exports = { ${names.join(', ')} };\n`;
  }
}

function refuseToOverwrite(file: string): void {
  if (existsSync(file)) throw new Error(`${file} already exists and will not be overwritten.`);
}
