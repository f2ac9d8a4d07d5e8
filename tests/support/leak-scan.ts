/**
 * Looks for secrets where none may be: by their form, and by value, for those that were made, stored or sent in by the
 * tests of this file. What is found fails the test that did it. leak-hooks.ts brings everything here; leak-allowances.ts says
 * what may be where.
 */
import { textsIn, type FoundText } from './texts-in.js';

/** Forms that only a secret has. */
const shapes: Record<string, RegExp> = {
  'a bcrypt hash': /\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}/,
  'a hash of the cheap hasher': /cheap\$[0-9a-f]{64}/,
  'a private key': /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  'a JWT': /eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/,
  'an API key': /svc_[0-9a-f]{32}_[0-9a-f]{64}/,
  'a digest or secret in hex': /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/i,
  'a signed token': /(?<![\w.-])[\w-]{60,}\.[\w-]{43}(?![\w.-])/,
  'a refresh token': /[0-9a-f-]{36}\.\d{1,9}\.[\w-]{43}(?![\w-])/,
  'a sealed secret': /v1\.[\w-]{8}\.[\w-]{16}\.[\w-]+\.[\w-]{22}/,
  'a TOTP secret': /(?<![A-Z2-7])[A-Z2-7]{32}(?![A-Z2-7])|otpauth:\/\//,
  'a recovery code': /(?<![A-Z2-7])(?:[A-Z2-7]{6}-){3}[A-Z2-7]{6}(?![A-Z2-7])/,
};
const anyShape = new RegExp(
  Object.values(shapes)
    .map(({ source }) => source)
    .join('|'),
  'i',
);

const frames = /^\s+at .*$/gm;
/** Of a code, and of whatever has a form. */
const shortest = 4;
const shortestShape = 19;

/** Long enough to be nothing else: found as whole words, so that thousands of them cost nothing. */
const longWord = /[\w-]{16,}/g;
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const digits = /(?<![\w.+-])\d{4,12}(?![\w.-])/g;

/** What all services of the file know: they may share a storage. */
const words = new Map<string, string>();
const leaks: string[] = [];
const scans: LeakScan[] = [];
/** Those that looked at something since the last test. */
const active = new Set<LeakScan>();

/** Words that reached the storage, and where; compared at the end, because a token is stored before anybody is told it. */
const written = new Map<string, string>();

let sameTextEverywhere = false;

/** For a file whose tests send one text as a password and as a name: where it turns up says nothing then. */
export function ignorePasswords(): void {
  sameTextEverywhere = true;
}

let sameNumberByChance = false;

/** For a file that makes up numbers by the thousand while thousands of codes are sent: some are the same then. */
export function ignoreCodes(): void {
  sameNumberByChance = true;
}

export class LeakScan {
  /** Found anywhere in a text: passwords, keys of the configuration. */
  readonly phrases = new Map<string, string>();
  readonly codes = new Set<string>();
  private readonly writtenDigits = new Map<string, string>();
  /** What was looked at in this test and is no secret so far: a code that is logged before it is mailed becomes one. */
  private readonly seen = new Map<string, string>();

  constructor() {
    scans.push(this);
  }

  /** A token, key or digest: its long words are secrets from now on. The header of a JWT is the same for all. */
  learn(kind: string, text: string): void {
    for (const [word] of text.matchAll(longWord)) {
      if (!uuid.test(word) && !(word.startsWith('eyJhbGciOi') && text.includes(`${word}.`)))
        words.set(word, kind);
    }
    // The key is one word; its secret alone is as good.
    const bare = /svc_[0-9a-f]{32}_([0-9a-f]{64})_/.exec(text)?.[1];
    if (bare !== undefined) words.set(bare, kind);
  }

  /** A text that people made up: too short or too plain a one would be found everywhere. */
  learnPhrase(kind: string, text: unknown): void {
    if (kind === 'a password' && (sameTextEverywhere || isKept(text))) return;
    if (typeof text === 'string' && text.length >= 8 && text.length < 2_000 && new Set(text).size >= 5)
      this.phrases.set(text, kind);
  }

  learnCode(code: string): void {
    if (!sameNumberByChance) this.codes.add(code);
  }

  /** What a message holds: its links, its codes. */
  learnMessage(text: string): void {
    for (const [token] of text.matchAll(/(?<=[?&]token=)[\w.-]+/g)) this.learn('a mailed token', token);
    for (const [code] of text.replace(/https?:\/\/\S+/g, '').matchAll(digits)) this.learnCode(code);
  }

  /** Everything in `value` but what `allowed` says of its paths. */
  look(where: string, value: unknown, allowed: (path: string) => boolean = () => false): void {
    for (const found of textsIn(value)) if (!allowed(found.path)) this.check(where, found);
  }

  /** As `look`; what is allowed is a secret from now on, which must be nowhere else. */
  lookAtGiven(where: string, value: unknown, allowed: (path: string) => boolean): void {
    const rest: FoundText[] = [];
    // Before the rest is looked at: it must not be there twice.
    for (const found of textsIn(value)) {
      if (!allowed(found.path)) rest.push(found);
      else this.learnTold(`what ${where.replace('the result of ', '')} gave`, found.path, found.text);
    }
    for (const found of rest) this.check(where, found);
  }

  /** Of a link its token alone: the rest of it is no secret. A state goes to the provider and back. */
  private learnTold(kind: string, path: string, text: string): void {
    if (/^[a-z]+:\/\//.test(text)) this.learnMessage(text);
    else if (path !== 'state') this.learn(kind, text);
  }

  /** Notes what is written. A password or key must not be there at all. */
  lookAtStored(where: string, texts: readonly FoundText[]): void {
    for (const { path, text } of texts) {
      for (const [word] of text.matchAll(longWord)) if (!uuid.test(word)) written.set(word, where);
      for (const [code] of text.matchAll(digits)) this.writtenDigits.set(code, where);
      leaks.push(...this.phrasesIn(text).map((kind) => `the storage, by ${where}, ${path}: ${kind}`));
    }
  }

  /** Codes that were stored as they are. */
  storedCodes(): string[] {
    return [...this.writtenDigits].flatMap(([code, where]) =>
      this.codes.has(code) ? [`the storage, by ${where}: a code`] : [],
    );
  }

  private check(where: string, { path, text: whole }: FoundText): void {
    // Most texts are short, or the frames of a stack, and could not hold anything.
    const text = /stack$/.test(path) ? whole.replace(frames, '') : whole;
    if (text.length < shortest) return;
    const place = `${where}, ${path || 'itself'}`;
    const report = (kind: string) => leaks.push(`${place}: ${kind}`);
    if (text.length >= shortestShape && anyShape.test(text)) {
      for (const [kind, shape] of Object.entries(shapes)) if (shape.test(text)) report(kind);
    }
    for (const [word] of text.matchAll(longWord)) {
      const kind = words.get(word);
      if (kind !== undefined) report(kind);
      else if (!uuid.test(word)) this.note(word, place);
    }
    for (const [code] of text.matchAll(digits)) {
      if (this.codes.has(code)) report('a code');
      else this.note(code, place);
    }
    for (const kind of this.phrasesIn(text)) report(kind);
  }

  private note(text: string, place: string): void {
    this.seen.set(text, place);
    active.add(this);
  }

  /** What has become a secret since it was looked at. */
  takeLate(): string[] {
    const late = [...this.seen].flatMap(([text, place]) => {
      const kind = this.codes.has(text) ? 'a code' : words.get(text);
      return kind === undefined ? [] : [`${place}: ${kind}`];
    });
    this.seen.clear();
    return late;
  }

  private phrasesIn(text: string): string[] {
    return [...this.phrases].flatMap(([phrase, kind]) => (text.includes(phrase) ? [kind] : []));
  }
}

/** The kind of words that the storage is there for. */
const storedKind = 'what the storage keeps';

/** A hash, MAC or ciphertext that the storage keeps: it may be there, and nowhere else. */
export function learnStored(text: string): void {
  // A digest has more characters than a few, over and over, and of both cases; what somebody made up, or a slug of it, may not.
  const isDigest = /^(?=.*[A-Z])[\w-]{43}$/.test(text) && new Set(text).size > 12;
  if (isDigest || /^(?:v1\.|cheap\$|\$2[aby]\$)/.test(text)) {
    for (const [word] of text.matchAll(longWord)) if (!words.has(word)) words.set(word, storedKind);
  }
}

/**
 * Tells what somebody could use in a row of the storage as text: no digest, and no hash. To be made when all is written: what the
 * services of a file know is put together once, not for each row.
 */
export function rowSearch(): (where: string, row: string) => string[] {
  const phrases = new Map(scans.flatMap((scan) => [...scan.phrases]));
  const codes = new Set(scans.flatMap((scan) => [...scan.codes]));
  return (where, row) => {
    const kinds = [
      ...[...row.matchAll(longWord)].map(([word]) => rawSecret(word)),
      ...[...phrases].map(([phrase, kind]) => (row.includes(phrase) ? kind : undefined)),
      ...[...row.matchAll(digits)].map(([code]) => (codes.has(code) ? 'a code' : undefined)),
    ];
    return kinds.flatMap((kind) => (kind === undefined ? [] : [`${where}: ${kind}`]));
  };
}

/** Whoever tries a hash from the storage as a password has made no secret of it. */
const isKept = (text: unknown) =>
  [...String(text).matchAll(longWord)].some(([word]) => words.get(word) === storedKind);

function rawSecret(word: string): string | undefined {
  const kind = words.get(word);
  return kind === storedKind ? undefined : kind;
}

/** What was found since the last call. */
export function takeLeaks(): string[] {
  const late = [...active].flatMap((scan) => scan.takeLate());
  active.clear();
  return [...new Set([...leaks.splice(0), ...late])];
}

/** What reached the storage in the course of the file, and somebody could use. */
export function takeStoredSecrets(): string[] {
  const stored = [...written].flatMap(([word, where]) => {
    const kind = rawSecret(word);
    return kind === undefined ? [] : [`the storage, by ${where}: ${kind}`];
  });
  const codes = scans.flatMap((scan) => scan.storedCodes());
  written.clear();
  scans.length = 0;
  return [...new Set([...stored, ...codes])];
}

/** What was found in another process, or by other means. */
export function noteLeaks(found: readonly string[]): void {
  leaks.push(...found);
}

/** For what is found after the last test of a file, or where there are no such tests. */
export function failOnLeaks(found = takeLeaks()): void {
  if (found.length > 0) throw new Error(`Secrets are where none may be:\n${found.join('\n')}`);
}

// Not in a process that serves tests from elsewhere.
if (typeof afterEach === 'function') {
  afterEach(() => failOnLeaks());
  afterAll(() => failOnLeaks([...takeLeaks(), ...takeStoredSecrets()]));
}
