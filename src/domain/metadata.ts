/** The rules for the application's own data on a user: plain, small JSON without keys that could bite later. */
import { InvalidRequestError } from '../errors/catalog.js';
import { isStorableText } from './storable-text.js';

const maxBytes = 8 * 1024;
const maxDepth = 8;
// `__svc` is the reserved namespace of specification 2.1; the others reach an object's prototype.
const forbiddenKeys = new Set(['__svc', '__proto__', 'constructor', 'prototype']);

/**
 * A copy of `input` that holds only JSON. Absent is `{}`.
 * @throws InvalidRequestError for anything but a plain object of at most 8 KB and 8 levels, for reserved
 * keys, and for text that PostgreSQL cannot keep (U+0000, lone surrogates).
 */
export function parseMetadata(input: unknown): Record<string, unknown> {
  return parseJsonObject(input, 'metadata');
}

/** The same for whatever else is kept as JSON. @param name what the messages call it. */
export function parseJsonObject(input: unknown, name: string): Record<string, unknown> {
  if (input === undefined) return {};
  if (!isPlainObject(input)) throw new InvalidRequestError(`${name} must be a plain object.`);
  const json = toJson(input, name);
  if (Buffer.byteLength(json) > maxBytes)
    throw new InvalidRequestError(`${name} must be at most 8 KB of JSON.`);
  const copy: unknown = JSON.parse(json);
  // The copy is judged and not the input: a `toJSON` may turn one thing into another.
  if (!isPlainObject(copy)) throw new InvalidRequestError(`${name} must be a plain object.`);
  check(copy, name, 1);
  return copy;
}

function toJson(input: object, name: string): string {
  try {
    return JSON.stringify(input) ?? 'null';
  } catch {
    throw new InvalidRequestError(`${name} must be JSON, without circles and bigints.`);
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
    throw new InvalidRequestError(`${name} holds text that cannot be stored.`);
  }
}

// By shape and not by constructor: an object of another realm (a worker, a test runner) is as plain.
function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (Object.prototype.toString.call(value) !== '[object Object]') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
