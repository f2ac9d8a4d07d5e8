/**
 * Finds leaked secrets: by their format, and by value for those that the tests of this file created, stored or sent. A leak
 * fails the test that caused it (worker.ts). leak-hooks.ts passes the data to the scan; leak-allowances.ts lists the places where a
 * secret may be.
 */
import { findStrings, type StringAtPath } from './find-strings.js';

/** Formats that only secrets have. */
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
  'a recovery code': /(?<![\w-])[A-Z2-7]{5}-[A-Z2-7]{5}(?![\w-])/,
};
const anyShape = new RegExp(
  Object.values(shapes)
    .map(({ source }) => source)
    .join('|'),
  'i',
);

const frames = /^\s+at .*$/gm;
/** Minimum lengths of a code and of a secret with a format. */
const shortest = 4;
const shortestShape = 11;

/** Words long enough to be unique. Matching whole words keeps thousands of them cheap. */
const longWord = /[\w-]{16,}/g;
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const digits = /(?<![\w.+-])\d{4,12}(?![\w.-])/g;

/** The secrets of all services of the file, because they may share a storage. */
const words = new Map<string, string>();
const leaks: string[] = [];
const scans: LeakScan[] = [];
/** Scans that were used since the last test. */
const active = new Set<LeakScan>();

/** Words written to the storage, and where. Compared at the end, because a token is stored before it is returned. */
const written = new Map<string, string>();

let sameTextEverywhere = false;

/** For a file whose tests use the same string as a password and as a name, so that its occurrence is not a leak. */
export function ignorePasswords(): void {
  sameTextEverywhere = true;
}

let sameNumberByChance = false;

/** For a file that generates thousands of numbers and thousands of codes, some of which are equal by chance. */
export function ignoreCodes(): void {
  sameNumberByChance = true;
}

export class LeakScan {
  /** Passwords and configuration keys, matched anywhere in a string. */
  readonly phrases = new Map<string, string>();
  readonly codes = new Set<string>();
  private readonly writtenDigits = new Map<string, string>();
  /** Words scanned in this test that are not yet secrets: a code may be logged before it is mailed. */
  private readonly scanned = new Map<string, string>();

  constructor() {
    scans.push(this);
  }

  /** Learns a token, key or digest: its long words are secrets from now on, except the header of a JWT, which all share. */
  learn(kind: string, text: string): void {
    for (const [word] of text.matchAll(longWord)) {
      if (!uuid.test(word) && !(word.startsWith('eyJhbGciOi') && text.includes(`${word}.`)))
        words.set(word, kind);
    }
    // The key is one word; its secret part alone must not leak either.
    const bare = /svc_[0-9a-f]{32}_([0-9a-f]{64})_/.exec(text)?.[1];
    if (bare !== undefined) words.set(bare, kind);
  }

  /** Learns a chosen string. One that is too short or too simple is ignored, because it would match everywhere. */
  learnPhrase(kind: string, text: unknown): void {
    if (kind === 'a password' && (sameTextEverywhere || isStored(text))) return;
    if (typeof text === 'string' && text.length >= 8 && text.length < 2_000 && new Set(text).size >= 5)
      this.phrases.set(text, kind);
  }

  learnCode(code: string): void {
    if (!sameNumberByChance) this.codes.add(code);
  }

  /** Learns the links and codes of a message. */
  learnMessage(text: string): void {
    for (const [token] of text.matchAll(/(?<=[?&]token=)[\w.-]+/g)) this.learn('a mailed token', token);
    for (const [number] of text.replace(/https?:\/\/\S+/g, '').matchAll(digits))
      // A notice has the time, and with it the year.
      if (!/^20\d\d$/.test(number)) this.learnCode(number);
  }

  /** Scans every string in `value` except at allowed paths. */
  scan(where: string, value: unknown, allowed: (path: string) => boolean = () => false): void {
    for (const found of findStrings(value)) if (!allowed(found.path)) this.check(where, found);
  }

  /** As `scan`, and the strings at allowed paths are secrets from now on. */
  scanReturned(where: string, value: unknown, allowed: (path: string) => boolean): void {
    const rest: StringAtPath[] = [];
    // Before the rest is scanned, so that a second occurrence is a leak.
    for (const found of findStrings(value)) {
      if (!allowed(found.path)) rest.push(found);
      else this.learnReturned(`a result of ${where.replace('the result of ', '')}`, found.path, found.text);
    }
    for (const found of rest) this.check(where, found);
  }

  /** Learns only the token of a link. A `state` is not a secret: it is sent to the provider and back. */
  private learnReturned(kind: string, path: string, text: string): void {
    if (/^[a-z]+:\/\//.test(text)) this.learnMessage(text);
    else if (path !== 'state') this.learn(kind, text);
  }

  /** Records what is written. A password or configuration key must not be stored at all. */
  scanStored(where: string, texts: readonly StringAtPath[]): void {
    for (const { path, text } of texts) {
      for (const [word] of text.matchAll(longWord)) if (!uuid.test(word)) written.set(word, where);
      for (const [code] of text.matchAll(digits)) this.writtenDigits.set(code, where);
      leaks.push(...this.phrasesIn(text).map((kind) => `the storage, by ${where}, ${path}: ${kind}`));
    }
  }

  /** Returns the codes that were stored in plain text. */
  storedCodes(): string[] {
    return [...this.writtenDigits].flatMap(([code, where]) =>
      this.codes.has(code) ? [`the storage, by ${where}: a code`] : [],
    );
  }

  private check(where: string, { path, text: whole }: StringAtPath): void {
    // Most strings are short or stack frames, and cannot contain a secret.
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
      else if (!uuid.test(word)) this.remember(word, place);
    }
    for (const [code] of text.matchAll(digits)) {
      if (this.codes.has(code)) report('a code');
      else this.remember(code, place);
    }
    for (const kind of this.phrasesIn(text)) report(kind);
  }

  private remember(text: string, place: string): void {
    this.scanned.set(text, place);
    active.add(this);
  }

  /** Returns the words that became secrets after they were scanned. */
  takeLate(): string[] {
    const late = [...this.scanned].flatMap(([text, place]) => {
      const kind = this.codes.has(text) ? 'a code' : words.get(text);
      return kind === undefined ? [] : [`${place}: ${kind}`];
    });
    this.scanned.clear();
    return late;
  }

  private phrasesIn(text: string): string[] {
    return [...this.phrases].flatMap(([phrase, kind]) => (text.includes(phrase) ? [kind] : []));
  }
}

/** The kind of secret that belongs in the storage. */
const storedKind = 'what the storage keeps';

/** Learns a hash, MAC or ciphertext, which may be in the storage and nowhere else. */
export function learnStored(text: string): void {
  // A digest has many distinct characters in both cases; a string that a test chose, or a slug, may not.
  const isDigest = /^(?=.*[A-Z])[\w-]{43}$/.test(text) && new Set(text).size > 12;
  if (isDigest || /^(?:v1\.|cheap\$|\$2[aby]\$)/.test(text)) {
    for (const [word] of text.matchAll(longWord)) if (!words.has(word)) words.set(word, storedKind);
  }
}

/**
 * Returns a function that finds usable secrets, not digests or hashes, in a serialized row. Call it after the last write: it
 * collects the secrets of all services of the file once, not for each row.
 */
export function rowScanner(): (where: string, row: string) => string[] {
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

/** Whether a test uses a stored hash as a password, which does not make the hash a password. */
const isStored = (text: unknown) =>
  [...String(text).matchAll(longWord)].some(([word]) => words.get(word) === storedKind);

function rawSecret(word: string): string | undefined {
  const kind = words.get(word);
  return kind === storedKind ? undefined : kind;
}

/** Returns the leaks since the last call. */
export function takeLeaks(): string[] {
  const late = [...active].flatMap((scan) => scan.takeLate());
  active.clear();
  return [...new Set([...leaks.splice(0), ...late])];
}

/** Returns the usable secrets that the file wrote to the storage. */
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

/** Reports leaks that another process or another check found. */
export function reportLeaks(found: readonly string[]): void {
  leaks.push(...found);
}

/** Throws if there are leaks: for those found after the last test of a file, or outside Jest. */
export function failOnLeaks(found = takeLeaks()): void {
  if (found.length > 0) throw new Error(`Secrets have leaked:\n${found.join('\n')}`);
}

/** Forgets what a test file taught the scan. The next file in the same process has other secrets. */
export function endLeakScan(): void {
  for (const each of [words, written, active]) each.clear();
  leaks.length = 0;
  scans.length = 0;
  sameTextEverywhere = false;
  sameNumberByChance = false;
}
