/**
 * What users and organizations show of themselves: a name and a picture. Users have both in their metadata, under the keys `name` and
 * `picture`; organizations have a name and, in their metadata, `picture` (docs/decisions/names-and-pictures.md). Both are written by users
 * and identity providers, so that they are checked when they are set, and again when they are shown.
 */
import { InvalidRequestError } from '../errors/catalog.js';
import { isName, maxNameLength, parseName, withoutDirections } from './name.js';

export interface Profile {
  name: string | null;
  /** A URL or a path that the application allows. */
  picture: string | null;
}

/**
 * Returns the name of a person, composed and without controls of direction, which input methods add.
 * @throws InvalidRequestError as `parseName`; with the reason `name_address` if the name contains an address or a link, which would be
 * taken for the address of the user, and which mail programs turn into links.
 */
export function parsePersonName(name: unknown): string {
  const text = parseName(typeof name === 'string' ? composed(name) : name);
  if (isAddress(text)) {
    const message = 'name must not contain an email address or a link.';
    throw new InvalidRequestError(message, { field: 'name', reason: 'name_address' });
  }
  return text;
}

/** Returns a stored name as it may be shown, cut to its maximum length. Null if it is missing or has no proper form. */
export function shownName(name: unknown): string | null {
  // Of a longer text, one part is enough.
  if (typeof name !== 'string') return null;
  const letters = Array.from(
    composed(name.slice(0, 4 * maxNameLength))
      .replace(/\s+/gu, ' ')
      .trim(),
  );
  const text = letters.slice(0, maxNameLength).join('').trim();
  return isName(text) && !isAddress(text) ? text : null;
}

const composed = (name: string) => withoutDirections(name).normalize('NFC');

/** In every width, such as that of Japanese keyboards. */
function isAddress(name: string): boolean {
  return /@|:\/\/|\bwww\./iu.test(name.normalize('NFKC'));
}

/** Where pictures may come from: the beginning of an https URL or of a path of the site, with a slash at the end. */
export function isPictureSource(source: unknown): source is string {
  if (typeof source !== 'string' || !source.endsWith('/')) return false;
  // The whole site is not a folder of pictures: a picture could be any of its routes, requested in the name of each viewer.
  if (isOwnPath(source))
    return /^(?:\/[\w.~-]+)+\/$/.test(source) && new URL(source, 'http://localhost').pathname === source;
  // It becomes a part of the policy of the pages, in which a comma or a semicolon ends a value.
  return /^https:\/\/[a-z\d.-]+(?::\d+)?(?:\/[\w.~-]+)*\/$/.test(source) && new URL(source).href === source;
}

/**
 * Returns a picture if it is one that the application allows: below one of the sources, without a way out of it. Otherwise null.
 * @param sources checked by `isPictureSource`.
 */
export function allowedPicture(picture: unknown, sources: readonly string[]): string | null {
  if (typeof picture !== 'string' || picture.length > 2048) return null;
  const shown = isOwnPath(picture) ? ownPath(picture) : remoteUrl(picture);
  if (shown === null) return null;
  return sources.some((source) => shown.startsWith(source) && shown !== source) ? shown : null;
}

const isOwnPath = (text: string) => /^\/(?![/\\])/.test(text);

/**
 * The viewer's browser requests the path with the cookies of this site. It must be written as browsers request it, without a query, which
 * could be a command, and without encoded slashes, backslashes and dots, which lead out of a folder if a server decodes them.
 */
function ownPath(path: string): string | null {
  return new URL(path, 'http://localhost').pathname === path && !/%(?:2f|5c|2e)/i.test(path) ? path : null;
}

function remoteUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  url.hash = '';
  return url.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : null;
}
