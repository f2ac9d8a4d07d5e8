// The application's own data on a user (docs/security-requirements.md T10, A-82, C-43).
import { parseMetadata } from '../../src/domain/metadata.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';

const outcomeFor = (input: unknown) => outcomeOf(() => parseMetadata(input));
const nested = (levels: number): Record<string, unknown> => (levels <= 1 ? {} : { a: nested(levels - 1) });
/** Returns `{"a":"xx…"}` of exactly this number of bytes. */
const ofBytes = (bytes: number) => ({ a: 'x'.repeat(bytes - Buffer.byteLength('{"a":""}')) });

describe('parseMetadata()', () => {
  it('missing metadata becomes an empty object', () => {
    expect(parseMetadata(undefined)).toEqual({});
  });

  it('metadata is kept as JSON', () => {
    const input = { name: 'Ada', tags: ['a', { b: 1 }], on: true, none: null, text: '😀 "quoted" \\' };
    expect(parseMetadata(input)).toEqual(input);
  });

  it('metadata is copied, so that later changes of the input have no effect', () => {
    const input = { roles: ['user'] };
    const copy = parseMetadata(input);
    input.roles.push('admin');
    expect(copy).toEqual({ roles: ['user'] });
  });

  it('metadata may have no prototype, as in objects of query parsers', () => {
    expect(parseMetadata(Object.assign(Object.create(null) as object, { a: 1 }))).toEqual({ a: 1 });
  });

  // T10, A-82
  it.each(['__svc', '__proto__', 'constructor', 'prototype'])(
    'metadata with the key %s is refused at any depth',
    async (key) => {
      // As parsed from JSON: an own key, which an object literal cannot have.
      const planted = JSON.parse(`{"${key}":{"passwordHash":"x","emailVerified":true}}`) as object;
      expect(await outcomeFor(planted)).toBe('invalid_request');
      expect(await outcomeFor({ a: planted })).toBe('invalid_request');
      expect(await outcomeFor({ a: [1, [planted]] })).toBe('invalid_request');
    },
  );

  // T10
  it('keys named like fields of the user remain inside the metadata', () => {
    expect(parseMetadata({ emailVerified: true, passwordHash: 'x', id: '1' })).toEqual({
      emailVerified: true,
      passwordHash: 'x',
      id: '1',
    });
  });

  // T10
  it('toJSON() cannot add keys that were not checked', async () => {
    const late = { toJSON: () => JSON.parse('{"__svc":{"passwordHash":"x"}}') as unknown };
    expect(await outcomeFor({ a: late })).toBe('invalid_request');
    expect(await outcomeFor({ toJSON: () => undefined })).toBe('invalid_request');
    expect(await outcomeFor({ toJSON: () => 'a string' })).toBe('invalid_request');
  });

  //
  it('parsing metadata does not change the prototype of objects', async () => {
    await outcomeFor(JSON.parse('{"__proto__":{"polluted":true}}'));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([
    ['null', null],
    ['a string', 'text'],
    ['a number', 1],
    ['a list', []],
    ['a function', () => ({})],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['an instance of a class', new (class Admin {})()],
  ])('metadata given as %s is refused', async (_name, input) => {
    expect(await outcomeFor(input)).toBe('invalid_request');
  });

  it('metadata with a bigint is refused, which JSON does not support', async () => {
    expect(await outcomeFor({ a: 1n })).toBe('invalid_request');
  });

  it('metadata with a circular reference is refused', async () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    expect(await outcomeFor(loop)).toBe('invalid_request');
  });

  it('metadata has at most 8 KB of JSON', async () => {
    expect(parseMetadata(ofBytes(8192))).toEqual(ofBytes(8192));
    expect(await outcomeFor(ofBytes(8193))).toBe('invalid_request');
    // Counted in bytes, not characters.
    expect(await outcomeFor({ a: '€'.repeat(3000) })).toBe('invalid_request');
  });

  it('metadata has at most 8 levels', async () => {
    expect(parseMetadata(nested(8))).toEqual(nested(8));
    expect(await outcomeFor(nested(9))).toBe('invalid_request');
    expect(await outcomeFor({ a: [[[[[[[{}]]]]]]] })).toBe('invalid_request');
  });

  it.each([
    ['U+0000 in a string', { a: 'x\0y' }],
    ['U+0000 in a key', { 'x\0y': 1 }],
    ['a lone high surrogate', { a: 'x\uD800y' }],
    ['a lone low surrogate in a list', { a: ['\uDC00'] }],
    ['a lone surrogate in a key', { '\uDC00': 1 }],
  ])('metadata that PostgreSQL cannot store is refused: %s', async (_name, input) => {
    expect(await outcomeFor(input)).toBe('invalid_request');
  });

  it('the error that refuses metadata does not contain it', async () => {
    const error = await errorOf(() => parseMetadata({ __svc: 'secret-value' }));
    expect(error.message).not.toContain('secret-value');
  });
});
