/** Secrets that can be guessed, that everyone knows, or that are used twice. */
import type { Examined, Family, Found } from './finding.js';

const generate = 'Generate one with `npx svc-auth secret`, and keep it outside of the code';

export const secrets: Family = {
  kinds: {
    secret_weak: {
      severity: 'error',
      why: 'Anyone with a single session cookie can try secrets offline, billions per second, and then sign in as every user.',
    },
    secret_example: {
      severity: 'error',
      why: 'Attackers try the secrets of documentation and templates first. With it, they sign in as every user.',
    },
    secret_shared: {
      severity: 'error',
      why: 'An attacker who learns one of them has the other, and can sign in as every user or decrypt second factors.',
    },
    secret_not_rotated: {
      severity: 'warning',
      why: 'The old secret is still the current one, so the rotation has had no effect.',
    },
  },
  checks: {
    'the strength of secrets': checkStrength,
    'secrets that are used twice': checkSharing,
  },
};

function namedSecrets({ config }: Examined): [option: string, secret: string][] {
  const named: [string, string | undefined][] = [
    ['session.secret', config.session.secret],
    ['encryptionKey', config.encryptionKey],
    ...config.session.previousSecrets.map((secret, i): [string, string] => [
      `session.previousSecrets.${i}`,
      secret,
    ]),
    ...config.previousEncryptionKeys.map((key, i): [string, string] => [`previousEncryptionKeys.${i}`, key]),
  ];
  return named.filter((entry): entry is [string, string] => entry[1] !== undefined);
}

function checkStrength(examined: Examined): Found[] {
  return namedSecrets(examined).flatMap(([option, secret]) => {
    const change = `${option}: process.env.${variableOf(option)}. ${generate}.`;
    if (isExample(secret))
      return [{ id: 'secret_example', title: `${option} is a known example or a placeholder.`, fix: change }];
    if (isGuessable(secret))
      return [{ id: 'secret_weak', title: `${option} is too short, or not random.`, fix: change }];
    return [];
  });
}

function variableOf(option: string): string {
  return option.startsWith('session') ? 'SESSION_SECRET' : 'ENCRYPTION_KEY';
}

/** Random secrets of 128 bits have an estimate above it. */
const minBits = 80;

/** What documentation, templates and tutorials write instead of a secret. */
const placeholders =
  /^(?:.*(?:change[ _-]?(?:me|this|it)|replace[ _-]?(?:me|this|with)|your[ _-]?(?:own[ _-]?)?(?:super[ _-]?)?(?:session|jwt|auth|app|256|long|secret|random|key)|keyboard[ _-]?cat|super[ _-]?secret|my[ _-]?(?:super[ _-]?)?secret|(?:not|in)[ _-]?secure|lorem ipsum|correct horse|to[ _-]?be[ _-]?(?:replaced|changed)|at[ _-]?least[ _-]?32|32[ _-]?(?:bytes|characters|chars)|do[ _-]?not[ _-]?use).*|(?=.*[a-z])(?:secret|password|changeit|example|test|dev|development|abc|qwerty|[ _-]|\d)+)$/i;

/** `openssl` examples in documentation, and the secret of jwt.io. */
const published: ReadonlySet<string> = new Set([
  'a-string-secret-at-least-256-bits-long',
  '0123456789abcdef0123456789abcdef',
  '00112233445566778899aabbccddeeff',
]);

function isExample(secret: string): boolean {
  return placeholders.test(secret) || published.has(secret.toLowerCase());
}

/** Estimated from the frequencies of its characters after repetitions were removed, which is too low for short secrets. */
function isGuessable(secret: string): boolean {
  if (Buffer.byteLength(secret) < 32) return true;
  const core = withoutRepetition(secret);
  if (isSequence(core)) return true;
  return core.length * bitsPerCharacter(core) < minBits;
}

function withoutRepetition(text: string): string {
  return /^(.+?)\1+$/su.exec(text)?.[1] ?? text;
}

/** Most characters follow the one before, as in `abcdefgh` and `12345678`. */
function isSequence(text: string): boolean {
  let steps = 0;
  for (let at = 1; at < text.length; at += 1)
    if (Math.abs(text.charCodeAt(at) - text.charCodeAt(at - 1)) <= 1) steps += 1;
  return steps > text.length / 2;
}

function bitsPerCharacter(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

function checkSharing(examined: Examined): Found[] {
  const { config, env } = examined;
  const found: Found[] = [];
  const own = namedSecrets(examined);
  const current = config.session.secret;
  if (config.session.previousSecrets.includes(current))
    found.push({
      id: 'secret_not_rotated',
      title: 'session.previousSecrets contains session.secret.',
      fix: `session.secret: a new value. ${generate}.`,
    });
  const others = otherSecrets(examined);
  for (const [option, secret] of own) {
    const sharing = [...own, ...others].filter(
      ([other, value]) => Object.is(value, secret) && other !== option && !isRotationOf(option, other),
    );
    // Once for each pair.
    const names = sharing
      .map(([name]) => name)
      .filter((name) => !own.some(([o]) => o === name) || option < name);
    const variables = Object.keys(env).filter((name) => Object.is(env[name], secret));
    if (names.length === 0 && variables.length < 2) continue;
    const title =
      names.length > 0
        ? `${option} has the same value as ${names.join(', ')}.`
        : `${option} is in several environment variables: ${variables.join(', ')}.`;
    found.push({ id: 'secret_shared', title, fix: `${option}: a separate value. ${generate}.` });
  }
  return found;
}

/** A secret and its predecessors: `secret_not_rotated`. */
function isRotationOf(option: string, other: string): boolean {
  const kind = (name: string) => (name.startsWith('session') ? 'session' : 'encryption');
  return kind(option) === kind(other) && [option, other].some((name) => !/previous/i.test(name));
}

function otherSecrets({ config: { licenseKey, providers } }: Examined): [string, string][] {
  const clients: Record<string, unknown> = { google: providers.google };
  for (const [name, client] of Object.entries(providers.oauth ?? {})) clients[`oauth.${name}`] = client;
  const ofClients = Object.entries(clients).flatMap(([name, client]): [string, string][] => {
    const { clientSecret } = (client ?? {}) as { clientSecret?: unknown };
    return typeof clientSecret === 'string' ? [[`providers.${name}.clientSecret`, clientSecret]] : [];
  });
  return licenseKey === undefined ? ofClients : [...ofClients, ['licenseKey', licenseKey]];
}
