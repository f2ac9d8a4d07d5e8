/** The generated parts of docs/programmatic-api.md: what the types and docstrings of the entry points say. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFileSync } from 'node:fs';
import ts from 'typescript';

const repository = fileURLToPath(new URL('../..', import.meta.url));

const entryPoints = {
  'svc-auth': 'src/index.ts',
  'svc-auth/token': 'src/token.ts',
  'svc-auth/server': 'src/server.ts',
  'svc-auth/redis': 'src/redis.ts',
  'svc-auth/moving': 'src/moving.ts',
  'svc-auth/oauth-server': 'src/oauth-server.ts',
  'svc-auth/nestjs': 'src/nestjs.ts',
  'svc-auth/admin': 'src/admin.ts',
  'svc-auth/pages': 'src/pages.ts',
  'svc-auth/testing': 'testing/index.ts',
};

/** The pages of the accessors of `Service`, in the order of the page. */
const providerPages: Record<string, string> = {
  emailCode: 'providers/email-code.md',
  magicLink: 'providers/magic-link.md',
  emailPassword: 'providers/email-password.md',
  google: 'providers/google.md',
  audit: 'audit.md',
  identities: 'providers/oauth.md',
  usernames: 'users.md#user-names',
  users: 'users.md',
  statistics: 'admin.md#overview',
  secondFactor: 'providers/totp.md',
  oauth: 'providers/oauth.md',
  phoneOtp: 'providers/phone-otp.md',
  totp: 'providers/totp.md',
  webauthn: 'providers/webauthn.md',
  sessionsProvider: 'providers/sessions.md',
  refresh: 'providers/refresh.md',
  apiKeys: 'providers/api-keys.md',
  orgs: 'providers/orgs.md',
  account: 'providers/account.md',
};

export function programmaticApiParts(): Record<string, string> {
  const reader = new ApiReader();
  const service = reader.exportOf('svc-auth', 'Service');
  const functions = reader
    .exportsOf('svc-auth')
    .filter((symbol) => reader.isFunction(symbol) && symbol.name !== 'createService');
  const isGuardFile = (symbol: ts.Symbol) => /\/src\/http\//.test(reader.fileOf(symbol));
  return {
    service: reader.serviceList(service),
    providers: reader.providerSections(service),
    'request-context': reader.propertyList(reader.exportOf('svc-auth', 'RequestContext')),
    'sign-in-result': reader.propertyList(reader.exportOf('svc-auth', 'SignInResult')),
    http: reader.functionList(functions.filter(isGuardFile)),
    'guard-options': reader.propertyList(reader.exportOf('svc-auth', 'RequireSessionOptions')),
    functions: reader.functionList(functions.filter((symbol) => !isGuardFile(symbol))),
    'token-options': reader.propertyList(reader.exportOf('svc-auth/token', 'VerifyTokenOptions')),
    testing: reader.functionList(
      reader.exportsOf('svc-auth/testing').filter((each) => reader.isFunction(each)),
    ),
    types: reader.typeLists(Object.keys(entryPoints) as EntryPoint[]),
  };
}

type EntryPoint = keyof typeof entryPoints;

class ApiReader {
  private readonly program = ts.createProgram(
    Object.values(entryPoints).map((file) => path.join(repository, file)),
    { ...compilerOptions(), noEmit: true },
  );
  private readonly checker = this.program.getTypeChecker();
  /** Names that differ from those of the declarations: `canonicalEmail` of `parseEmailAddress`. */
  private readonly exportNames = new Map<ts.Symbol, string>();

  exportsOf(entry: EntryPoint): ts.Symbol[] {
    const file = this.program.getSourceFile(path.join(repository, entryPoints[entry]));
    const module = file && this.checker.getSymbolAtLocation(file);
    if (!module) throw new Error(`${entryPoints[entry]} is not a module`);
    return this.checker.getExportsOfModule(module).map((symbol) => {
      const target = this.target(symbol);
      this.exportNames.set(target, symbol.name);
      return target;
    });
  }

  private nameOf(symbol: ts.Symbol): string {
    return this.exportNames.get(symbol) ?? symbol.name;
  }

  exportOf(entry: EntryPoint, name: string): ts.Symbol {
    const file = this.program.getSourceFile(path.join(repository, entryPoints[entry]))!;
    const found = this.checker
      .getExportsOfModule(this.checker.getSymbolAtLocation(file)!)
      .find((symbol) => symbol.name === name);
    if (!found) throw new Error(`${entry} does not export ${name}`);
    return this.target(found);
  }

  isFunction(symbol: ts.Symbol): boolean {
    if ((symbol.flags & ts.SymbolFlags.Class) !== 0) return false;
    return (symbol.flags & ts.SymbolFlags.Value) !== 0 && this.signaturesOf(symbol).length > 0;
  }

  fileOf(symbol: ts.Symbol): string {
    return symbol.declarations?.[0]?.getSourceFile().fileName ?? '';
  }

  /** The methods and properties of `Service` that are not providers. */
  serviceList(service: ts.Symbol): string {
    const members = this.membersOf(service).filter(({ name }) => !(name in providerPages));
    return this.methodList('service', members);
  }

  providerSections(service: ts.Symbol): string {
    const members = new Map(this.membersOf(service).map((member) => [member.name, member]));
    return Object.entries(providerPages)
      .map(([name, page]) => {
        const member = members.get(name);
        if (!member) throw new Error(`Service has no ${name}`);
        const type = this.typeOf(member);
        const [signature] = type.getCallSignatures();
        const heading = signature ? `service.${name}(${argumentNames(signature)})` : `service.${name}`;
        const provider = this.checker.getNonNullableType(signature?.getReturnType() ?? type);
        const methods = this.publicProperties(provider).filter((method) => method.name !== 'prepare');
        // "Pro" first, because a test reads it.
        const text = sentence(this.docOf(member)).replace(/ \(Pro\)/, '');
        const isPro = text !== sentence(this.docOf(member));
        return [
          `### ${heading}`,
          `${isPro ? 'Pro. ' : ''}[${text.replace(/\.$/, '')}](${page}).`,
          this.methodList(name, methods),
        ].join('\n\n');
      })
      .join('\n\n');
  }

  functionList(functions: ts.Symbol[]): string {
    return this.methodList('', functions);
  }

  propertyList(type: ts.Symbol): string {
    const properties = this.checker.getPropertiesOfType(this.checker.getDeclaredTypeOfSymbol(type));
    const rows = properties
      .filter((property) => !property.name.startsWith('__@') && this.docOf(property) !== '')
      .map((property) => `- \`${property.name}\`: ${cell(this.docOf(property))}`);
    return rows.join('\n');
  }

  /** The types of each entry point, by the folder that declares them. Functions are in other lists. */
  typeLists(entries: EntryPoint[]): string {
    const rows = entries.map((entry) => {
      const names = this.exportsOf(entry)
        .filter((symbol) => !this.isFunction(symbol) && !/Error$/.test(symbol.name))
        .map((symbol) => `\`${this.nameOf(symbol)}\``);
      return `- \`${entry}\`: ${[...new Set(names)].sort().join(', ')}`;
    });
    return rows.join('\n');
  }

  private methodList(owner: string, members: ts.Symbol[]): string {
    const rows = members.map((member) => {
      const signatures = this.signaturesOf(member);
      const name = `${owner === '' ? '' : `${owner}.`}${this.nameOf(member)}`;
      const longest = signatures.toSorted((a, b) => b.parameters.length - a.parameters.length)[0];
      const call = longest ? `${name}(${this.parametersOf(longest)})` : name;
      const results = signatures.map((signature) => this.resultOf(signature.getReturnType()));
      const types = longest ? [...new Set(results)] : [this.resultOf(this.typeOf(member))];
      const what = cell(sentence(this.docOf(member)));
      const result = types.join(' or ');
      return `- \`${call}\`${result === '`nothing`' ? '' : ` → ${result}`}${what === '–' ? '' : `: ${what}`}`;
    });
    return rows.join('\n');
  }

  private membersOf(type: ts.Symbol): ts.Symbol[] {
    return this.publicProperties(this.checker.getDeclaredTypeOfSymbol(type));
  }

  private publicProperties(type: ts.Type): ts.Symbol[] {
    return this.checker.getPropertiesOfType(type).filter((property) => {
      const [declaration] = property.declarations ?? [];
      const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
      const isHidden = declaration && (ts.getCombinedModifierFlags(declaration) & hidden) !== 0;
      return !isHidden && !property.name.startsWith('__@');
    });
  }

  private target(symbol: ts.Symbol): ts.Symbol {
    return (symbol.flags & ts.SymbolFlags.Alias) !== 0 ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  private typeOf(symbol: ts.Symbol): ts.Type {
    return this.checker.getTypeOfSymbol(symbol);
  }

  private signaturesOf(symbol: ts.Symbol): readonly ts.Signature[] {
    return this.typeOf(symbol).getCallSignatures();
  }

  /** Names of parameters; of a first one that is an object, the names of its fields. */
  private parametersOf(signature: ts.Signature): string {
    return signature.parameters
      .map((parameter) => {
        const declaration = parameter.valueDeclaration as ts.ParameterDeclaration | undefined;
        const isOptional = declaration && this.checker.isOptionalParameter(declaration);
        const type = this.checker.getNonNullableType(this.typeOf(parameter));
        const isPattern = parameter.name.startsWith('__');
        const fields =
          isPattern || /^(?:input|options|changes|filter|query|block)$/.test(parameter.name)
            ? this.fieldsOf(type)
            : undefined;
        const name = isPattern ? 'options' : parameter.name;
        return `${fields ?? name}${isOptional ? '?' : ''}`;
      })
      .join(', ');
  }

  private fieldsOf(type: ts.Type): string | undefined {
    const parts = type.isUnion() ? type.types : [type];
    if (parts.some((part) => (part.flags & ts.TypeFlags.Object) === 0)) return undefined;
    const texts = parts.map((part) =>
      this.checker
        .getPropertiesOfType(part)
        .filter((property) => !this.isNever(property))
        .map(({ name, flags }) => `${name}${(flags & ts.SymbolFlags.Optional) !== 0 ? '?' : ''}`)
        .join(', '),
    );
    if (texts.some((text) => text === '' || text.split(', ').length > 10)) return undefined;
    return [...new Set(texts)].map((text) => `{${text}}`).join(' | ');
  }

  private isNever(property: ts.Symbol): boolean {
    const type = this.checker.getNonNullableType(this.typeOf(property));
    return (type.flags & ts.TypeFlags.Never) !== 0;
  }

  private resultOf(type: ts.Type): string {
    const symbol = type.getSymbol();
    const inner =
      symbol?.name === 'Promise' ? this.checker.getTypeArguments(type as ts.TypeReference)[0]! : type;
    const text = this.checker.typeToString(inner, undefined, ts.TypeFormatFlags.NoTruncation);
    if (text === 'void' || text === 'undefined') return '`nothing`';
    if (text.includes('=>')) return '`() => void`';
    // Names of fields, without types; external types without their arguments.
    const short = text
      .replace(/<.*\bany\b.*>$/, '')
      .replace(
        /\{ (.*?);? \}/g,
        (_match, fields: string) => `{${fields.replace(/: [^;]+/g, '').replaceAll(';', ',')}}`,
      );
    return `\`${short}\``;
  }

  private docOf(symbol: ts.Symbol): string {
    const own = symbol.getDocumentationComment(this.checker);
    const [signature] = own.length > 0 ? [] : this.signaturesOf(symbol);
    return ts
      .displayPartsToString(own.length > 0 ? own : signature?.getDocumentationComment(this.checker))
      .replace(/\s+/g, ' ')
      .trim();
  }
}

function argumentNames(signature: ts.Signature): string {
  return signature.parameters.map(({ name }) => name).join(', ');
}

/** The first sentence, or two if the first one is short. */
function sentence(text: string): string {
  const [first = ''] = /^.*?[.:](?= [A-Z]|$)/.exec(text) ?? [text];
  return first.replace(/:$/, '.');
}

function cell(text: string): string {
  return text.replace(/\{@link (\w+)\}/g, '`$1`').replaceAll('docs/', '') || '–';
}

function compilerOptions(): ts.CompilerOptions {
  const file = path.join(repository, 'tsconfig.json');
  const { config } = ts.parseConfigFileTextToJson(file, readFileSync(file, 'utf8')) as { config: object };
  return ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, repository).options;
}
