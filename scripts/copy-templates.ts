/** Copies the templates of the pages into a build, as TypeScript and as JavaScript, for `svc-auth pages eject`. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';

const source = fileURLToPath(new URL('../src/pages/templates', import.meta.url));

export async function copyTemplates(folder: string): Promise<void> {
  mkdirSync(path.join(folder, 'js'), { recursive: true });
  for (const name of readdirSync(source)) {
    const text = readFileSync(path.join(source, name), 'utf8');
    writeFileSync(path.join(folder, name), text);
    writeFileSync(path.join(folder, 'js', name.replace(/\.ts$/, '.js')), await toJavaScript(text));
  }
}

interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Returns the template with its types in JSDoc, which editors read. @throws Error for syntax that it cannot convert. */
export async function toJavaScript(text: string): Promise<string> {
  const file = ts.createSourceFile('template.ts', text, ts.ScriptTarget.ES2022, true);
  const edits: Edit[] = [];
  const types: string[] = [];
  for (const statement of file.statements) {
    if (ts.isImportDeclaration(statement)) edits.push(...withoutTypes(statement, types));
    else if (ts.isInterfaceDeclaration(statement)) edits.push(asTypedef(statement));
    else if (ts.isFunctionDeclaration(statement)) edits.push(...asDocumented(statement));
    else if (ts.isVariableStatement(statement)) edits.push(...typesOfVariables(statement));
    else throw new Error(`Templates may not have the statement ${statement.getText()}`);
  }
  edits.push(...assertionsIn(file));
  const plain = edits
    .sort((one, other) => other.start - one.start)
    .reduce((code, edit) => code.slice(0, edit.start) + edit.text + code.slice(edit.end), text);
  const imported = types.length > 0 ? `/** @import { ${types.join(', ')} } from '../template.js' */\n` : '';
  const end = plain.indexOf('*/') + 3;
  const options = await resolveConfig(path.join(source, 'index.ts'));
  return format(plain.slice(0, end) + imported + plain.slice(end), { ...options, parser: 'babel' });
}

function withoutTypes(statement: ts.ImportDeclaration, types: string[]): Edit[] {
  const clause = statement.importClause;
  const named = clause?.namedBindings;
  if (!named || !ts.isNamedImports(named)) throw new Error(`Name what ${statement.getText()} imports.`);
  const isType = (element: ts.ImportSpecifier) => clause.isTypeOnly || element.isTypeOnly;
  types.push(...named.elements.filter(isType).map(({ name }) => name.text));
  const values = named.elements.filter((element) => !isType(element)).map((element) => element.getText());
  const whole = { start: statement.getStart(), end: statement.getEnd() };
  return values.length === 0
    ? [{ ...whole, text: '' }]
    : [{ start: named.getStart(), end: named.getEnd(), text: `{ ${values.join(', ')} }` }];
}

function asTypedef(statement: ts.InterfaceDeclaration): Edit {
  const members = statement.members.map((member) => member.getText().replace(/;$/, '')).join(', ');
  const text = `/** @typedef {{ ${members} }} ${statement.name.text} */`;
  return { start: statement.getStart(), end: statement.getEnd(), text };
}

function asDocumented(statement: ts.FunctionDeclaration): Edit[] {
  const { text } = statement.getSourceFile();
  const comment = ts
    .getLeadingCommentRanges(text, statement.getFullStart())
    ?.find(({ pos }) => pos > statement.getFullStart() && text.startsWith('/**', pos));
  const words = comment ? text.slice(comment.pos + 3, comment.end - 2).trim() : null;
  const lines = [
    ...(words === null ? [] : [words]),
    ...statement.parameters.map(({ name, type }, index) => {
      const isPlain = ts.isIdentifier(name);
      return `@param {${typeText(type)}} ${isPlain ? name.text : index === 0 ? 'page' : 'view'}`;
    }),
    ...(statement.type ? [`@returns {${typeText(statement.type)}}`] : []),
  ];
  const documentation = `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */\n`;
  return [
    { start: comment?.pos ?? statement.getStart(), end: statement.getStart(), text: documentation },
    ...statement.parameters.flatMap(({ name, type }) => without(name, type)),
    ...(statement.type ? [closingOf(statement)] : []),
  ];
}

/** The type after the parentheses of the parameters. */
function closingOf(statement: ts.FunctionDeclaration): Edit {
  const type = statement.type!;
  const text = statement.getSourceFile().text;
  return { start: text.lastIndexOf(':', type.getStart()), end: type.getEnd(), text: '' };
}

function typesOfVariables({ declarationList }: ts.VariableStatement): Edit[] {
  return declarationList.declarations.flatMap(({ name, type }) => without(name, type));
}

function without(name: ts.Node, type: ts.TypeNode | undefined): Edit[] {
  return type ? [{ start: name.getEnd(), end: type.getEnd(), text: '' }] : [];
}

function typeText(type: ts.TypeNode | undefined): string {
  return type?.getText().replace(/\s+/g, ' ') ?? 'unknown';
}

/** `as const` and `!`. */
function assertionsIn(node: ts.Node): Edit[] {
  const inner: Edit[] = [];
  ts.forEachChild(node, (child) => void inner.push(...assertionsIn(child)));
  if (!ts.isAsExpression(node) && !ts.isNonNullExpression(node)) return inner;
  return [...inner, { start: node.expression.getEnd(), end: node.getEnd(), text: '' }];
}
