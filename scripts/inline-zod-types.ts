/**
 * Writes the types that the declarations of a build infer from zod schemas as plain types, so that
 * no one who installs the package needs zod: `tsx scripts/inline-zod-types.ts <dist>`. Part of
 * `npm run build`.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import {
  configSchema,
  defaultText,
  descriptionOf,
  nestedSchema,
  recordOf,
  type Schema,
} from './config-schema.js';

const repository = fileURLToPath(new URL('..', import.meta.url));
const folder = path.resolve(process.argv[2] ?? 'dist');
const files = readdirSync(folder)
  .filter((name) => /\.d\.c?ts$/.test(name))
  .map((name) => path.join(folder, name))
  .filter((file) => readFileSync(file, 'utf8').includes(`'zod'`));

const program = ts.createProgram(files, {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  strict: true,
  // Otherwise `| undefined` of optional properties would be lost.
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  // The folder may be outside the repository.
  paths: { zod: [path.join(repository, 'node_modules/zod/index.d.cts')] },
});
const checker = program.getTypeChecker();
const printer = ts.createPrinter();

for (const file of files) writeFileSync(file, withoutZod(program.getSourceFile(file)!));

function withoutZod(source: ts.SourceFile): string {
  const edits: { start: number; end: number; text: string }[] = [];
  const replace = (node: ts.Node, text: string) =>
    edits.push({ start: node.getFullStart(), end: node.getEnd(), text });
  const schemas = source.statements.filter(ts.isVariableStatement).filter(mentionsZod);
  const names = new Set(
    schemas.flatMap(({ declarationList }) => declarationList.declarations.map(({ name }) => name.getText())),
  );
  for (const statement of source.statements) {
    if (isImportOfZod(statement) || schemas.some((schema) => schema === statement)) replace(statement, '');
    else visit(statement);
  }
  return edits
    .reverse()
    .reduce(
      (text, { start, end, text: plain }) => text.slice(0, start) + plain + text.slice(end),
      source.text,
    );

  function visit(node: ts.Node): void {
    if (isOfZod(node)) replace(node, ` ${plainType(node, source)}`);
    else if (ts.isNamedExports(node)) replace(node, ` ${exportsOf(node, names)}`);
    else ts.forEachChild(node, visit);
  }
}

function exportsOf(node: ts.NamedExports, removed: ReadonlySet<string>): string {
  const kept = node.elements.filter(({ name, propertyName }) => !removed.has((propertyName ?? name).text));
  return `{ ${kept.map((element) => element.getText()).join(', ')} }`;
}

function isImportOfZod(node: ts.Statement): boolean {
  return (
    ts.isImportDeclaration(node) &&
    ts.isStringLiteral(node.moduleSpecifier) &&
    node.moduleSpecifier.text === 'zod'
  );
}

function isOfZod(node: ts.Node): node is ts.TypeReferenceNode {
  return (
    ts.isTypeReferenceNode(node) &&
    ts.isQualifiedName(node.typeName) &&
    ts.isIdentifier(node.typeName.left) &&
    node.typeName.left.text === 'z'
  );
}

function mentionsZod(node: ts.Node): boolean {
  return isOfZod(node) || (ts.forEachChild(node, (child) => mentionsZod(child) || undefined) ?? false);
}

function plainType(node: ts.TypeReferenceNode, source: ts.SourceFile): string {
  const { InTypeAlias, MultilineObjectLiterals, NoTruncation } = ts.NodeBuilderFlags;
  const flags = InTypeAlias | MultilineObjectLiterals | NoTruncation;
  const type = checker.typeToTypeNode(checker.getTypeFromTypeNode(node), node, flags);
  const text = type && print(type);
  if (!type || text === undefined || /\bz\.|\bimport\(|\bany\b/.test(text))
    throw new Error(`${source.fileName}: ${node.getText(source)} has no plain type: ${text}`);
  const isConfig = ts.isTypeAliasDeclaration(node.parent) && node.parent.name.text === 'ServiceConfig';
  return isConfig ? print(withDescriptions(type, configSchema, '')) : text;

  function print(plain: ts.TypeNode): string {
    return printer.printNode(ts.EmitHint.Unspecified, plain, source);
  }
}

/** Returns the type with the descriptions of the schema as comments of its properties, which editors show. */
function withDescriptions(type: ts.TypeNode, schema: Schema, prefix: string): ts.TypeNode {
  if (ts.isUnionTypeNode(type))
    return ts.factory.createUnionTypeNode(type.types.map((part) => withDescriptions(part, schema, prefix)));
  if (!ts.isTypeLiteralNode(type)) return type;
  const members = type.members.map((member) => {
    if (ts.isIndexSignatureDeclaration(member)) {
      const values = withDescriptions(member.type, schema, prefix);
      return ts.factory.updateIndexSignature(member, member.modifiers, member.parameters, values);
    }
    if (!ts.isPropertySignature(member) || !ts.isIdentifier(member.name) || !member.type) return member;
    const name = prefix + member.name.text;
    const option = schema.shape?.[member.name.text];
    if (!option) throw new Error(`${name} is in ServiceConfig but not in the schema`);
    const nested = nestedSchema(recordOf(option)?.valueType ?? option);
    const described = nested ? withDescriptions(member.type, nested, `${name}.`) : member.type;
    const { modifiers, questionToken } = member;
    const property = ts.factory.createPropertySignature(modifiers, member.name, questionToken, described);
    const comment = `* ${commentOf(name, option)} `;
    return ts.addSyntheticLeadingComment(property, ts.SyntaxKind.MultiLineCommentTrivia, comment, true);
  });
  return ts.factory.createTypeLiteralNode(members);
}

function commentOf(name: string, option: Schema): string {
  // A link to a page that says more means nothing in an editor.
  const text = descriptionOf(name, option).replace(/: \[[^\]]*\]\([^)]*\)\.$/, '.');
  const description = text.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1');
  const value = defaultText(name, option);
  const hasDefault = !['—', 'as below', '**required**'].includes(value);
  return (hasDefault ? `${description} Default: ${value}.` : description).replaceAll('*/', '*\\/');
}
