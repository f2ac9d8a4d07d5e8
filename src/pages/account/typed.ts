/**
 * What was typed into a form of the account when its session had ended: the page shows it again after the sign-in. Nothing is saved before
 * the user sends the form, so it may come from the cookie of the flow.
 */
import type { Entry } from '../page.js';
import type { Attempt } from '../../pages-kit/attempt.js';
import { maxIdentifier, type TypedForm } from '../flow.js';

/** The field with the address or user name of the account that a form was shown to. It decides nothing. */
export const accountField = 'form_account';

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
  const account = values.get(accountField);
  if (account === null) return;
  const text = harmless(values).toString();
  const typed: TypedForm = { path, account, text };
  // It is in a cookie.
  const isKept = text !== '' && [text, path, account].every(({ length }) => length <= maxIdentifier);
  entry.keep({ email: account, ...(isKept && { typed }) });
}

/** Returns what the user typed into the form of a page, once. Another user never gets it. */
export function takeTyped(entry: Entry, path: string, account: string | null): Attempt | null {
  const { typed } = entry.flow;
  if (typed === undefined) return null;
  const isTheirs = typed.account === account;
  if (isTheirs && typed.path !== path) return null;
  entry.keep({ typed: undefined });
  return isTheirs ? { values: harmless(new URLSearchParams(typed.text)), errors: new Map() } : null;
}
