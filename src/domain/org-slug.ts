/** The slugs that stand for organisations in URLs. */
import { InvalidRequestError } from '../errors/catalog.js';

const maxLength = 64;
const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** @throws InvalidRequestError; a slug that looks like an id would hide the organisation with that id. */
export function parseSlug(slug: unknown): string {
  if (
    typeof slug === 'string' &&
    slug.length <= maxLength &&
    slugPattern.test(slug) &&
    !uuidPattern.test(slug)
  ) {
    return slug;
  }
  throw new InvalidRequestError(
    'slug must be 1 to 64 characters: a to z, 0 to 9, and single hyphens in between.',
  );
}

/** A slug made from a name: its letters and digits in ASCII, `org` where there are none. */
export function slugOf(name: string): string {
  const ascii = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const slug = ascii
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxLength - 9)
    .replace(/^-+|-+$/g, '');
  return slug === '' || uuidPattern.test(slug) ? 'org' : slug;
}
