/** The rules for the application's own data on a user: plain, small JSON without dangerous keys. */
import { InvalidRequestError } from '../errors/catalog.js';
import { isStorableText } from './storable-text.js';

const maxBytes = 8 * 1024;
const maxDepth = 8;
// `__svc` is the reserved namespace of specification 2.1. The others access an object's prototype.
const forbiddenKeys = new Set(['__svc', '__proto__', 'constructor', 'prototype']);

/**
 * Returns a copy of `input` as JSON, or `{}` if it is undefined.
 * @throws InvalidRequestError if it is not a plain object of at most 8 KB and 8 levels, has a
 * reserved key, or contains text that PostgreSQL cannot store (U+0000, lone surrogates).
 */
export function parseMetadata(input: unknown): Record<string, unknown> {
  return parseJsonObject(input, 'metadata');
}

/** Like `parseMetadata`, for other JSON objects. @param name the field's name in error messages. */
export function parseJsonObject(input: unknown, name: string): Record<string, unknown> {
  if (input === undefined) return {};
  if (!isPlainObject(input)) throw new InvalidRequestError(`${name} must be a plain object.`);
  const json = toJson(input, name);
  if (Buffer.byteLength(json) > maxBytes)
    throw new InvalidRequestError(`${name} must be at most 8 KB of JSON.`);
  const copy: unknown = JSON.parse(json);
  // The copy is checked, not the input: a `toJSON` may return something else.
  if (!isPlainObject(copy)) throw new InvalidRequestError(`${name} must be a plain object.`);
  check(copy, name, 1);
  return copy;
}

/**
 * Merges keys into metadata, one level deep; null removes a key. @throws InvalidRequestError if the result is too large.
 */
export function mergeMetadata(
  metadata: Record<string, unknown>,
  merged: Record<string, unknown>,
): Record<string, unknown> {
  const entries = Object.entries({ ...metadata, ...merged });
  return parseMetadata(
    Object.fromEntries(entries.filter(([key, value]) => value !== null || !Object.hasOwn(merged, key))),
  );
}

function toJson(input: object, name: string): string {
  try {
    return JSON.stringify(input) ?? 'null';
  } catch {
    throw new InvalidRequestError(`${name} must be JSON, without circular references and BigInts.`);
  }
}

function check(value: unknown, name: string, depth: number): void {
  if (typeof value === 'string') return checkText(value, name);
  if (typeof value !== 'object' || value === null) return;
  if (depth > maxDepth) throw new InvalidRequestError(`${name} must be at most 8 levels deep.`);
  for (const key of Object.keys(value)) {
    if (forbiddenKeys.has(key)) throw new InvalidRequestError(`${name} uses a reserved key.`);
    checkText(key, name);
    check((value as Record<string, unknown>)[key], name, depth + 1);
  }
}

function checkText(text: string, name: string): void {
  if (!isStorableText(text)) {
    throw new InvalidRequestError(`${name} contains text that cannot be stored.`);
  }
}

// By prototype and not by constructor, so that plain objects of another realm (a worker, a test
// runner) are accepted.
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (Object.prototype.toString.call(value) !== '[object Object]') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
