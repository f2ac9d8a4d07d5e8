/** The slugs of organizations in URLs. */
import { InvalidRequestError } from '../errors/catalog.js';
import { isUuid } from './uuid.js';

const maxLength = 64;
const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Checks a slug. @throws InvalidRequestError if it is malformed, or is a UUID: it would hide the
 * organization with that id.
 */
export function parseSlug(slug: unknown): string {
  if (typeof slug === 'string' && slug.length <= maxLength && slugPattern.test(slug) && !isUuid(slug)) {
    return slug;
  }
  throw new InvalidRequestError(
    'slug must be 1 to 64 characters: a to z, 0 to 9, and single hyphens in between.',
  );
}

/** Returns a slug for a name: its letters and digits in ASCII, or `org` if it has none. */
export function slugOf(name: string): string {
  const ascii = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const slug = ascii
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxLength - 9)
    .replace(/^-+|-+$/g, '');
  return slug === '' || isUuid(slug) ? 'org' : slug;
}
