// The application's own data on a user (docs/security-requirements.md T10, A-82, C-43).
import { parseMetadata } from '../../src/domain/metadata.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';

const refused = (input: unknown) => outcomeOf(() => parseMetadata(input));
const nested = (levels: number): Record<string, unknown> => (levels <= 1 ? {} : { a: nested(levels - 1) });
/** `{"a":"xx…"}` of exactly so many bytes. */
const ofBytes = (bytes: number) => ({ a: 'x'.repeat(bytes - Buffer.byteLength('{"a":""}')) });

describe('Metadata', () => {
  it('is an empty object where it is absent', () => {
    expect(parseMetadata(undefined)).toEqual({});
  });

  it('is kept as JSON', () => {
    const input = { name: 'Ada', tags: ['a', { b: 1 }], on: true, none: null, text: '😀 "quoted" \\' };
    expect(parseMetadata(input)).toEqual(input);
  });

  it('is a copy: what is done to the input later does not reach it', () => {
    const input = { roles: ['user'] };
    const copy = parseMetadata(input);
    input.roles.push('admin');
    expect(copy).toEqual({ roles: ['user'] });
  });

  it('may have no prototype, as query parsers make it', () => {
    expect(parseMetadata(Object.assign(Object.create(null) as object, { a: 1 }))).toEqual({ a: 1 });
  });

  it.each(['__svc', '__proto__', 'constructor', 'prototype'])(
    'T10 A-82 refuses the key %s at any depth',
    async (key) => {
      // As it arrives from JSON: an own key, which an object literal cannot have.
      const planted = JSON.parse(`{"${key}":{"passwordHash":"x","emailVerified":true}}`) as object;
      expect(await refused(planted)).toBe('invalid_request');
      expect(await refused({ a: planted })).toBe('invalid_request');
      expect(await refused({ a: [1, [planted]] })).toBe('invalid_request');
    },
  );

  it('T10 keeps a key that only looks like a field of the user where it belongs: inside', () => {
    expect(parseMetadata({ emailVerified: true, passwordHash: 'x', id: '1' })).toEqual({
      emailVerified: true,
      passwordHash: 'x',
      id: '1',
    });
  });

  it('T10 lets no toJSON bring in what the check did not see', async () => {
    const late = { toJSON: () => JSON.parse('{"__svc":{"passwordHash":"x"}}') as unknown };
    expect(await refused({ a: late })).toBe('invalid_request');
    expect(await refused({ toJSON: () => undefined })).toBe('invalid_request');
    expect(await refused({ toJSON: () => 'a text' })).toBe('invalid_request');
  });

  it('A-82 does not touch the prototype of objects', async () => {
    await refused(JSON.parse('{"__proto__":{"polluted":true}}'));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([
    ['null', null],
    ['a text', 'text'],
    ['a number', 1],
    ['a list', []],
    ['a function', () => ({})],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['an instance of a class', new (class Admin {})()],
  ])('is refused as %s', async (_name, input) => {
    expect(await refused(input)).toBe('invalid_request');
  });

  it('is refused with a bigint, which JSON does not know', async () => {
    expect(await refused({ a: 1n })).toBe('invalid_request');
  });

  it('is refused where it contains itself', async () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    expect(await refused(loop)).toBe('invalid_request');
  });

  it('has at most 8 KB of JSON', async () => {
    expect(parseMetadata(ofBytes(8192))).toEqual(ofBytes(8192));
    expect(await refused(ofBytes(8193))).toBe('invalid_request');
    // Counted in bytes, not characters.
    expect(await refused({ a: '€'.repeat(3000) })).toBe('invalid_request');
  });

  it('has at most 8 levels', async () => {
    expect(parseMetadata(nested(8))).toEqual(nested(8));
    expect(await refused(nested(9))).toBe('invalid_request');
    expect(await refused({ a: [[[[[[[{}]]]]]]] })).toBe('invalid_request');
  });

  it.each([
    ['U+0000 in a text', { a: 'x\0y' }],
    ['U+0000 in a key', { 'x\0y': 1 }],
    ['a lone high surrogate', { a: 'x\uD800y' }],
    ['a lone low surrogate in a list', { a: ['\uDC00'] }],
    ['a lone surrogate in a key', { '\uDC00': 1 }],
  ])('is refused with what PostgreSQL cannot keep: %s', async (_name, input) => {
    expect(await refused(input)).toBe('invalid_request');
  });

  it('is not repeated by the error that refuses it', async () => {
    const error = await errorOf(() => parseMetadata({ __svc: 'secret-value' }));
    expect(error.message).not.toContain('secret-value');
  });
});
