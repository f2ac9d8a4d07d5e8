/** Copies the templates of the pages into a build, as TypeScript and as the JavaScript that tsc makes of it, for `svc-auth pages eject`. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';

const source = fileURLToPath(new URL('../src/pages/templates', import.meta.url));
const index = readFileSync(path.join(source, 'index.ts'), 'utf8');

export async function copyTemplates(folder: string): Promise<void> {
  mkdirSync(path.join(folder, 'js'), { recursive: true });
  for (const name of readdirSync(source)) {
    const code = readFileSync(path.join(source, name), 'utf8');
    writeFileSync(path.join(folder, name), code);
    writeFileSync(path.join(folder, 'js', name.replace(/\.ts$/, '.js')), await toJavaScript(code));
  }
}

/** Returns the template without types. A comment names the type of the template itself, which editors read. */
async function toJavaScript(code: string): Promise<string> {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
    },
  });
  const typed = outputText
    // tsc writes no empty lines.
    .replace(/^(\}|.*;)\n(?=\S)(?!import |\})/gm, '$1\n\n')
    .replace(/^export function (\w+)/gm, (declaration, name: string) =>
      isTemplate(name)
        ? `/** @type {import('../template.js').Templates['${name}']} */\n${declaration}`
        : declaration,
    );
  const options = await resolveConfig(path.join(source, 'index.ts'));
  return format(typed, { ...options, parser: 'babel' });
}

function isTemplate(name: string): boolean {
  return new RegExp(`^import \\{ ${name} \\}`, 'm').test(index);
}
