/**
 * Forms of the account that outlive the session they were shown to. They name their account under a MAC: only its user sees again what was
 * typed, and a form that someone else has made shows nothing. Nothing is saved before the user sends it again.
 */
import type { Attempt } from '../../pages-kit/attempt.js';
import { internals } from '../../core/internals.js';
import type { Service } from '../../engine/service.js';
import { maxIdentifier, type TypedForm } from '../flow.js';
import type { Entry } from '../page.js';

/** The field that names the account to which a form was shown. */
export const accountField = 'form_account';

const kind = 'account';

/** Returns the value of the field. @param name the address, else the user name. */
export function markOf(service: Service, userId: string, name: string | null): string {
  const text = name ?? '';
  return `${service[internals].formTokens.issueProof(userId, kind, text)}.${text}`;
}

/** Returns whether a form was shown to this user. */
export function isMarkOf(service: Service, userId: string, mark: string): boolean {
  const { proof, name } = parse(mark);
  return service[internals].formTokens.isProof(userId, kind, name, proof);
}

function parse(mark: string): { proof: string; name: string } {
  const [proof = '', ...name] = mark.split('.');
  return { proof, name: name.join('.') };
}

/** The fields that may be kept: no passwords, no codes, and no names that confirm what cannot be undone. */
const fields = ['email', 'name', 'phone', 'username'] as const;

/** Returns the fields of a form that a page may show again. */
export function harmless(values: URLSearchParams): URLSearchParams {
  return new URLSearchParams(
    fields.flatMap((name): [string, string][] => {
      const value = values.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

/** Keeps a form for its user, and the address for the sign-in. @param path of the page that shows the form. */
export function keepTyped(entry: Entry, path: string, values: URLSearchParams): void {
  const mark = values.get(accountField);
  if (mark === null) return;
  const { name } = parse(mark);
  const text = harmless(values).toString();
  const typed: TypedForm = { path, mark, text };
  // It is in a cookie.
  const isKept = text !== '' && [text, path, mark].every(({ length }) => length <= maxIdentifier);
  entry.keep({ ...(name !== '' && { email: name }), ...(isKept && { typed }) });
}

/** Returns what the user typed into the form of a page, once. Another user never gets it. */
export function takeTyped(entry: Entry, path: string, userId: string): Attempt | null {
  const { typed } = entry.flow;
  if (typed === undefined) return null;
  const isTheirs = isMarkOf(entry.service, userId, typed.mark);
  if (isTheirs && typed.path !== path) return null;
  entry.keep({ typed: undefined });
  return isTheirs ? { values: harmless(new URLSearchParams(typed.text)), errors: new Map() } : null;
}
