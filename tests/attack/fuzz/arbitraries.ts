/** Arbitraries of the fuzz tests: strings and values of every kind, and mutations of a valid string. */
import fc from 'fast-check';

/** Strings with a meaning to a parser, a storage, a prototype or a header. */
const specialStrings = [
  ...['', ' ', '\0', '\n', '\r\n', '\ud800', '\udfff', '\ufeff', '\u202e', '\uff20', '\u212a', '\u00ad'],
  ...[
    '__proto__',
    'constructor',
    'prototype',
    '__svc',
    'toString',
    'null',
    'undefined',
    'NaN',
    '-0',
    '1e999',
  ],
  ...[
    "' or '1'='1",
    '"; drop table svc_users; --',
    '$1',
    '%',
    '%00',
    '%zz',
    '%E0%A4%A',
    '../..',
    '//evil.test',
    '/\\evil.test',
  ],
  ...[
    '{}',
    '[]',
    '{"a":',
    'j:{"a":1}',
    'j:null',
    's:x.y',
    '=',
    '==',
    '.',
    '..',
    'a.b.c',
    '-',
    '_',
    '+',
    ',',
    ';',
    '&',
    '#',
    '?',
  ],
  ...[
    'https://app.test',
    'https://app.test@evil.test',
    'javascript:alert(1)',
    'ada@example.com',
    '+14155552671',
    '123456',
  ],
];

const codeUnit = fc.nat(0xffff).map((unit) => String.fromCharCode(unit));

/** Any string: printable, of any script, with lone surrogates, of special strings, or long. */
export const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }) },
  { weight: 2, arbitrary: fc.string({ unit: codeUnit, maxLength: 20 }) },
  { weight: 3, arbitrary: fc.constantFrom(...specialStrings) },
  {
    weight: 2,
    arbitrary: fc.array(fc.constantFrom(...specialStrings), { maxLength: 6 }).map((all) => all.join('')),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('a', 'ü', '.', '-', ' ', '['), fc.nat(20_000))
      .map(([unit, n]) => unit.repeat(n)),
  },
);

/** Any JSON value, with keys and strings as above. */
export const anyJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'json' },
    fc.oneof(anyText, fc.double(), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 5, depthIdentifier: 'json' }),
    // From entries, so that `__proto__` is an ordinary key.
    fc
      .array(fc.tuple(anyText, tie('value')), { maxLength: 5, depthIdentifier: 'json' })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).value;

/** Any value that a program might pass, JSON or not. */
export const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  anyText,
  anyJson,
  fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withSparseArray: true,
    withTypedArray: true,
    withBoxedValues: true,
    maxDepth: 3,
  }),
  fc.constantFrom<unknown>(Symbol('x'), () => 'x', new Proxy({}, {}), Object.create(null)),
);

const place = fc.nat({ max: 5_000 });
const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** One mutation of a string: what it does, and where. */
export type Mutation = { how: keyof typeof mutations; at: number; piece: string; other: number };

type Change = (text: string, mutation: Omit<Mutation, 'how'>, others: readonly string[]) => string;

/** Splits at dots, underscores and tildes, the separators of tokens. */
const partsOf = (text: string) => text.split(/([._~])/);
const changePart = (text: string, at: number, change: (part: string) => string) => {
  const parts = partsOf(text);
  const index = at % parts.length;
  return parts.map((part, i) => (i === index ? change(part) : part)).join('');
};
const decoded = (part: string) => Buffer.from(part, 'base64url');

const mutations = {
  replace: (text, { at, piece }) =>
    text.slice(0, at % (text.length + 1)) + piece + text.slice((at % (text.length + 1)) + 1),
  insert: (text, { at, piece }) =>
    text.slice(0, at % (text.length + 1)) + piece + text.slice(at % (text.length + 1)),
  remove: (text, { at, other }) =>
    text.slice(0, at % (text.length + 1)) + text.slice((at % (text.length + 1)) + 1 + (other % 3)),
  cut: (text, { at }) => text.slice(0, at % (text.length + 1)),
  behead: (text, { at }) => text.slice(at % (text.length + 1)),
  prepend: (text, { piece }) => piece + text,
  append: (text, { piece }) => text + piece,
  twice: (text, { piece }) => text + piece + text,
  case: (text, { at }) =>
    text.slice(0, at % text.length) +
    flipped(text[at % text.length] ?? '') +
    text.slice((at % text.length) + 1),
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  // Other spellings that Node's base64 decoder reads as the same bytes.
  plainBase64: (text) => text.replaceAll('-', '+').replaceAll('_', '/'),
  padded: (text, { at }) => changePart(text, at, (part) => `${part}=`),
  lastBits: (text, { at, other }) =>
    changePart(
      text,
      at,
      (part) =>
        part.slice(0, -1) +
        (base64url[(base64url.indexOf(part.at(-1) ?? 'A') ^ (1 + (other % 15))) & 63] ?? 'A'),
    ),
  bit: (text, { at, other }) =>
    changePart(text, other, (part) => {
      const bytes = decoded(part);
      if (bytes.length > 0) bytes[at % bytes.length]! ^= 1 << (other % 8);
      return bytes.toString('base64url');
    }),
  swapParts: (text, { at, other }) => {
    const parts = partsOf(text);
    const [a, b] = [(2 * at) % parts.length, (2 * other) % parts.length];
    [parts[a], parts[b]] = [parts[b]!, parts[a]!];
    return parts.join('');
  },
  dropPart: (text, { at }) => changePart(text, at, () => ''),
  // A part of another valid string.
  splice: (text, { at, other }, others) => {
    const parts = partsOf(text);
    const theirs = partsOf(others[other % Math.max(1, others.length)] ?? '');
    const index = (2 * at) % parts.length;
    return parts.map((part, i) => (i === index ? (theirs[i] ?? '') : part)).join('');
  },
  percent: (text, { at }) =>
    text.slice(0, at % text.length) +
    `%25${(text.charCodeAt(at % text.length) & 255).toString(16)}` +
    text.slice((at % text.length) + 1),
  reversed: (text) => [...text].reverse().join(''),
  wide: (text, { at }) =>
    text.slice(0, at % text.length) +
    String.fromCharCode((text.charCodeAt(at % text.length) || 0) + 0xfee0) +
    text.slice((at % text.length) + 1),
  highByte: (text, { at }) =>
    text.slice(0, at % text.length) +
    String.fromCharCode((text.charCodeAt(at % text.length) || 0) | 0x100) +
    text.slice((at % text.length) + 1),
} satisfies Record<string, Change>;

const flipped = (char: string) => (char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase());

export const anyMutation: fc.Arbitrary<Mutation> = fc.record({
  how: fc.constantFrom(...(Object.keys(mutations) as Mutation['how'][])),
  at: place,
  piece: fc.oneof(fc.constantFrom(...'AZaz09-_.=+/ \n\0~%é'), fc.constantFrom(...specialStrings)),
  other: place,
});

export const anyMutations = fc.array(anyMutation, { minLength: 1, maxLength: 3 });

/** @param others valid strings of the same kind, whose parts can replace parts of this one. */
export function mutate(text: string, changes: readonly Mutation[], others: readonly string[] = []): string {
  return changes.reduce((changed, { how, ...mutation }) => {
    const change: Change = mutations[how];
    return changed === '' ? mutation.piece : change(changed, mutation, others);
  }, text);
}
