/**
 * Writes docs/configuration.md: `npm run docs:configuration`. Types come from `ServiceConfig`, defaults from the zod
 * schema, meanings from the comments at the options. A test fails when the page is out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { serviceConfig } from '../src/config/schema.js';
import { reserved } from '../src/providers/oauth/oauth-options.js';
import { loadZod } from '../src/runtime/load.js';

const repository = fileURLToPath(new URL('..', import.meta.url));
export const configurationPage = path.join(repository, 'docs/configuration.md');

const schemaFiles = [
  'src/config/schema.ts',
  'src/providers/email-code.ts',
  'src/providers/magic-link.ts',
  'src/providers/email-password/options.ts',
  'src/providers/oauth/google.ts',
  'src/providers/oauth/oauth-options.ts',
  'src/providers/sessions.ts',
  'src/providers/refresh.ts',
  'src/providers/api-keys.ts',
  'src/providers/orgs/options.ts',
  'src/providers/account/options.ts',
  'src/providers/phone-otp.ts',
  'src/providers/totp/totp.ts',
  'src/providers/webauthn/policy.ts',
];

/** For options that have no comment of their own at the schema. */
const furtherMeanings: Record<string, string> = {
  session: 'Sessions and the secret that signs them.',
  'session.cookie': 'The session cookie. It is always HttpOnly.',
  'session.cookie.name':
    'Its name. A name that begins with `__Host-` or `__Secure-` needs `secure: true`; `__Host-` also needs `path: "/"` and no `domain`.',
  'session.cookie.sameSite': 'Its SameSite attribute. `none` needs a secure cookie.',
  'session.cookie.path':
    'Its path. Guards protect routes outside the router too, so leave it at `/` as a rule.',
  'session.cookie.domain':
    'Its domain. Absent, the cookie belongs to this host alone; set, to every subdomain as well.',
  'session.audience': 'Signed into tokens and enforced when set.',
  rateLimit: 'Limits on sends and on failed passwords.',
  'rateLimit.windowMs': 'Length of that window in milliseconds.',
  'rateLimit.login.perAddressAndIp': 'Failed passwords for one address from one client.',
  'rateLimit.login.perAddress': 'Failed passwords for one address, from everywhere.',
  'rateLimit.login.perIp': 'Failed passwords from one client, for all addresses.',
  'rateLimit.signUp.perIp': 'Sign-ups with a password from one client.',
  'rateLimit.signUp.perNetwork':
    'Sign-ups with a password from one network: the /24 of an IPv4 address, the /48 of an IPv6 address.',
  'providers.emailCode': 'Sign-in with a code by email: [email code](providers/email-code.md).',
  'providers.magicLink': 'Sign-in with a link by email: [magic link](providers/magic-link.md).',
  'providers.emailPassword': 'Sign-in with a password: [email and password](providers/email-password.md).',
  'providers.google': 'Sign-in with Google or another OpenID provider: [google](providers/google.md).',
  'providers.google.clientId': 'The client id that the provider gave you.',
  'providers.google.clientSecret': 'The client secret that goes with it.',
  'providers.google.scopes': 'What to ask the provider for.',
  'providers.sessions': 'Lists of devices, guests, impersonation: [sessions](providers/sessions.md).',
  'providers.refresh': 'Refresh tokens: [refresh tokens](providers/refresh.md).',
  'providers.apiKeys': 'Keys for programs: [API keys](providers/api-keys.md).',
  'providers.orgs': 'Organisations, roles, invites: [organisations](providers/orgs.md).',
  'providers.phoneOtp': 'Sign-in with a code by text message: [phone codes](providers/phone-otp.md).',
  'providers.totp': 'A second factor by an authenticator app: [two factors](providers/totp.md).',
  'providers.webauthn': 'Passkeys: [passkeys](providers/webauthn.md).',
  'providers.oauth':
    'Further identity providers by their names, which are the keys: [OAuth](providers/oauth.md). `<name>` stands for each.',
  'providers.account': 'Addresses, export and deletion of accounts: [accounts](providers/account.md).',
};
const rules = [
  'login.perAddressAndIp',
  'login.perAddress',
  'login.perIp',
  'signUp.perIp',
  'signUp.perNetwork',
];
for (const rule of rules) {
  furtherMeanings[`rateLimit.${rule}.max`] = 'How many in a window; the next is refused with 429.';
  furtherMeanings[`rateLimit.${rule}.windowMs`] = 'Length of the window in milliseconds.';
}

interface Written {
  meaning: string | undefined;
  initializer: ts.Expression;
}

interface Option {
  path: string;
  type: string;
  default: string;
  meaning: string;
}

/** The zod schema as far as this page needs it. */
interface Schema {
  shape?: Record<string, Schema>;
  /** Of a record: what stands under each name. */
  valueType?: Schema;
  minValue?: number | null;
  maxValue?: number | null;
  def: {
    type: string;
    innerType?: Schema;
    in?: Schema;
    options?: Schema[];
    values?: unknown[];
    defaultValue?: unknown;
  };
}

export function generateConfigurationPage(): string {
  const program = ts.createProgram(
    schemaFiles.map((file) => path.join(repository, file)),
    { ...compilerOptions(), noEmit: true },
  );
  // Before the comments are read: it also ties the nodes to their parents.
  const checker = program.getTypeChecker();
  const written = writtenOptions(program);
  const schema = serviceConfig(loadZod()) as unknown as Schema;
  const options = optionsOf(schema, configType(program), '', { checker, written });
  const unused = Object.keys(furtherMeanings).filter(
    (name) => written.get(name)?.meaning !== undefined || !options.some((option) => option.path === name),
  );
  if (unused.length > 0) throw new Error(`furtherMeanings without a use: ${unused.join(', ')}`);
  return page(options);
}

function page(options: Option[]): string {
  const headings: [title: string, belongs: (name: string) => boolean][] = [
    ['Top level', (name) => !name.includes('.') && !['session', 'code', 'rateLimit'].includes(name)],
    ['Sessions', (name) => /^session(\.|$)/.test(name)],
    ['Codes', (name) => /^code(\.|$)/.test(name)],
    ['Limits', (name) => /^rateLimit(\.|$)/.test(name)],
    ['Email code', (name) => /^providers\.emailCode(\.|$)/.test(name)],
    ['Magic link', (name) => /^providers\.magicLink(\.|$)/.test(name)],
    ['Email and password', (name) => /^providers\.emailPassword(\.|$)/.test(name)],
    ['Google', (name) => /^providers\.google(\.|$)/.test(name)],
    [
      'Pro',
      (name) =>
        /^providers\.(oauth|phoneOtp|totp|webauthn|refresh|sessions|apiKeys|orgs|account)(\.|$)/.test(name),
    ],
  ];
  const forgotten = options.filter(({ path: name }) => !headings.some(([, belongs]) => belongs(name)));
  if (forgotten.length > 0)
    throw new Error(`Options under no heading: ${forgotten.map((option) => option.path).join(', ')}`);
  const sections = headings.map(([title, belongs]) => {
    const rows = options
      .filter((option) => belongs(option.path))
      .map(
        (option) => `| ${[`\`${option.path}\``, option.type, option.default, option.meaning].join(' | ')} |`,
      );
    return [`## ${title}`, '', '| Option | Type | Default | Meaning |', '|---|---|---|---|', ...rows].join(
      '\n',
    );
  });
  return `${[introduction, ...sections, closing].join('\n\n')}\n`;
}

const introduction = `# Configuration

<!-- Generated by \`npm run docs:configuration\` from src/config/schema.ts and the option schemas of the providers. Do not edit. -->

What \`createService\` takes. An option that is unknown, missing or wrong throws one
[\`ConfigError\`](errors.md#config_invalid) that lists every fault with its path; a misspelt name gets a suggestion.
**required** stands for options without a default; — for those that may be absent.
All durations are in milliseconds.`;

const closing = `## Rules between options

- \`session.secret\` that is empty or no string always throws. Under 32 bytes, or with fewer than 8 different characters,
  it throws when \`NODE_ENV\` is \`production\` and is a warning to the logger otherwise.
- \`encryptionKey\` must not be the session secret.
- URLs are absolute and https, without credentials. Plain http is accepted on loopback: \`localhost\`, \`*.localhost\`,
  \`127.*\` and \`[::1]\`.
- Entries of \`trustedOrigins\` are origins: scheme, host and port, no path and no trailing slash.
- \`code.length\` under 6 is a warning to the logger.
- Senders passed to several providers may be one object; \`service.close()\` closes it once.
- Options of the Pro tier are accepted without a licence; their accessors then throw [\`license_required\`](errors.md#license_required).
  A licence that does not hold is a warning to the logger, never a fault: [licence](license.md).
- An entry of \`providers.oauth\` has either \`issuer\` or all of \`authorizationEndpoint\`, \`tokenEndpoint\` and \`userInfoEndpoint\`. Its name is 1 to 32 lower-case letters, digits, \`_\` and \`-\`; ${reserved.map((name) => `\`${name}\``).join(', ')} are reserved.
- Invites are mailed where \`orgs.sender\` and \`orgs.inviteUrl\` are both set.
- A provider whose records the adapter does not keep throws [\`adapter_capability\`](errors.md#adapter_capability) at construction.`;

function optionsOf(
  schema: Schema,
  type: ts.Type,
  prefix: string,
  sources: { checker: ts.TypeChecker; written: Map<string, Written> },
): Option[] {
  const { checker, written } = sources;
  return Object.entries(schema.shape ?? {}).flatMap(([key, child]) => {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    const property = type.getProperty(key);
    if (!property) throw new Error(`${name} is in the schema and not in ServiceConfig`);
    const propertyType = checker.getNonNullableType(checker.getTypeOfSymbol(property));
    const record = recordOf(child);
    const nested = nestedSchema(record?.valueType ?? child);
    const source = written.get(name.replace('.<name>', ''));
    const meaning = source?.meaning ?? furtherMeanings[name];
    if (meaning === undefined) throw new Error(`${name} has no meaning: comment on it in the schema`);
    const option = {
      path: name,
      type: nested
        ? [
            record ? 'record of objects' : 'object',
            ...literalsOf(child).map((value) => `\`${String(value)}\``),
          ].join(' or ')
        : typeText(checker, propertyType) + rangeText(name, child),
      default: defaultText(name, child, source),
      meaning: meaning.replaceAll('|', '\\|'),
    };
    if (!nested) return [option];
    const objectType = objectOf(checker, propertyType);
    const valueType = record ? objectType.getStringIndexType() : objectType;
    if (!valueType) throw new Error(`${name} is a record in the schema and not in ServiceConfig`);
    return [option, ...optionsOf(nested, valueType, record ? `${name}.<name>` : name, sources)];
  });
}

/** The object behind defaults, optionals and unions; undefined for a value that is not made of options. */
function nestedSchema({ shape, def }: Schema): Schema | undefined {
  if (shape) return { shape, def };
  const inner = def.innerType ?? def.in;
  if (inner) return nestedSchema(inner);
  return def.options?.map(nestedSchema).find((option) => option !== undefined);
}

/** The record of objects behind defaults and optionals. */
function recordOf(schema: Schema): Schema | undefined {
  if (schema.valueType) return nestedSchema(schema.valueType) && schema;
  const inner = schema.def.innerType ?? schema.def.in;
  return inner && recordOf(inner);
}

/** What may stand in place of the object: `true` for all defaults, `false` for none of it. */
function literalsOf({ def }: Schema): unknown[] {
  const inner = def.innerType ?? def.in;
  if (inner) return literalsOf(inner);
  return def.values ?? def.options?.flatMap(literalsOf) ?? [];
}

function defaultText(name: string, { def }: Schema, written: Written | undefined): string {
  if (def.type === 'prefault') return 'as below';
  if (def.type === 'optional') return '—';
  if (def.type !== 'default') return '**required**';
  const value = def.defaultValue;
  const isPlain =
    typeof value !== 'function' && !(typeof value === 'object' && value !== null && 'hash' in value);
  if (isPlain) {
    const text = `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
    return name.endsWith('Ms') ? `${text} (${durationText(value as number)})` : text;
  }
  // A function says nothing about itself; the source does: `.default(() => bcryptHasher())`.
  const text = /\.default\(\(\) => (.+)\)$/s.exec(written?.initializer.getText() ?? '')?.[1] ?? '';
  if (text === 'phoneCodeText') return 'the built-in text';
  return text.endsWith('Template') ? 'the built-in mail' : `\`${text}\``;
}

function durationText(ms: number): string {
  const [size, unit] = (
    [
      [86_400_000, 'day'],
      [3_600_000, 'hour'],
      [60_000, 'minute'],
    ] as const
  ).find(([each]) => ms % each === 0) ?? [1000, 'second'];
  const count = ms / size;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Of numbers that are no durations. */
function rangeText(name: string, schema: Schema): string {
  if (name.endsWith('Ms')) return '';
  if (schema.def.innerType) return rangeText(name, schema.def.innerType);
  const { minValue, maxValue } = schema;
  if (typeof minValue !== 'number' || typeof maxValue !== 'number') return '';
  return maxValue < Number.MAX_SAFE_INTEGER ? `, ${minValue} to ${maxValue}` : `, ${minValue} or more`;
}

function typeText(checker: ts.TypeChecker, type: ts.Type): string {
  const usual = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseSingleQuotesForStringLiteralType;
  // The name of a type that its file keeps to itself says nothing to a reader.
  const alias = type.aliasSymbol?.declarations?.[0];
  const isInside = alias && (ts.getCombinedModifierFlags(alias) & ts.ModifierFlags.Export) === 0;
  const flags = isInside ? usual | ts.TypeFormatFlags.InTypeAlias : usual;
  // What may be missing in the environment is `string | undefined` in the schema, to be refused by name.
  const text = checker.typeToString(type, undefined, flags).replace('(string | undefined)[]', 'string[]');
  return `\`${text.replaceAll('|', '\\|')}\``;
}

function objectOf(checker: ts.TypeChecker, type: ts.Type): ts.Type {
  const parts = type.isUnion() ? type.types : [type];
  const object = parts.find((part) => (part.flags & ts.TypeFlags.Object) !== 0);
  if (!object) throw new Error(`${checker.typeToString(type)} is no object`);
  return object;
}

function configType(program: ts.Program): ts.Type {
  const file = program.getSourceFile(path.join(repository, 'src/config/schema.ts'));
  const alias = file?.statements.find(
    (statement): statement is ts.TypeAliasDeclaration =>
      ts.isTypeAliasDeclaration(statement) && statement.name.text === 'ServiceConfig',
  );
  if (!alias) throw new Error('src/config/schema.ts has no type ServiceConfig');
  return program.getTypeChecker().getTypeAtLocation(alias);
}

/** What is written at each option: its comment, and the expression that makes it. */
function writtenOptions(program: ts.Program): Map<string, Written> {
  const makers = new Map<string, ts.Node>();
  for (const file of schemaFiles) {
    const source = program.getSourceFile(path.join(repository, file));
    if (!source) throw new Error(`${file} is gone`);
    visit(source, (node) => {
      if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
        makers.set(node.name.text, node.initializer);
    });
  }
  const written = new Map<string, Written>();
  const read = (node: ts.Node, prefix: string) => {
    const literal = firstObjectLiteral(node, makers);
    for (const property of literal?.properties ?? []) {
      if (!ts.isPropertyAssignment(property) || !ts.isIdentifier(property.name)) continue;
      const name = prefix === '' ? property.name.text : `${prefix}.${property.name.text}`;
      written.set(name, { meaning: commentOf(property), initializer: property.initializer });
      read(property.initializer, name);
    }
  };
  const root = makers.get('serviceConfig');
  if (root) read(root, '');
  return written;
}

/** The literal that `z.strictObject({…})` is given in this expression, or in the function that it calls. */
function firstObjectLiteral(
  node: ts.Node,
  makers: Map<string, ts.Node>,
): ts.ObjectLiteralExpression | undefined {
  let found: ts.ObjectLiteralExpression | undefined;
  visit(node, (child) => {
    if (found || !ts.isCallExpression(child)) return;
    const [argument] = child.arguments;
    const callee = child.expression;
    if (ts.isPropertyAccessExpression(callee) && callee.name.text === 'strictObject') {
      if (argument && ts.isObjectLiteralExpression(argument)) found = argument;
    } else if (ts.isIdentifier(callee) && /(Options|Limits)$|^rule$/.test(callee.text)) {
      const maker = makers.get(callee.text);
      if (maker) found = firstObjectLiteral(maker, makers);
    }
  });
  return found;
}

function commentOf(property: ts.PropertyAssignment): string | undefined {
  const text = ts
    .getJSDocCommentsAndTags(property)
    .filter(ts.isJSDoc)
    .map((comment) => ts.getTextOfJSDocComment(comment.comment) ?? '')
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' ? undefined : text;
}

function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}

function compilerOptions(): ts.CompilerOptions {
  const file = path.join(repository, 'tsconfig.json');
  const { config } = ts.parseConfigFileTextToJson(file, readFileSync(file, 'utf8')) as { config: object };
  return ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, repository).options;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(configurationPage, generateConfigurationPage());
}
