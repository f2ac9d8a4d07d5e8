/** The picture of a user or an organization in a circle or a square; without one, the initials. */
import { html, type Html } from '../html/html.js';
import { lazily } from '../runtime/load.js';

export interface AvatarView {
  initials: string;
  /** One of six colors, which stays the same for an id. */
  hue: number;
  /** A URL or path that the application allows. Null if there is none. */
  picture: string | null;
  shape: 'person' | 'organization';
}

/** The sides in pixels, so that nothing moves when a picture arrives. */
const sides = { small: 28, normal: 36, large: 64 } as const;

/**
 * An avatar next to a name: screen readers pass over it. The initials are below the picture and appear if it cannot be loaded. No other site
 * learns on which page its picture is shown.
 */
export function avatar(
  { hue, initials, picture, shape }: AvatarView,
  size: keyof typeof sides = 'normal',
): Html {
  const side = sides[size];
  return html`<span class="avatar ${size} ${shape} hue-${hue}" aria-hidden="true"
    ><bdi>${initials}</bdi>${
      picture !== null &&
      html`<img
        src="${picture}"
        alt=""
        width="${side}"
        height="${side}"
        loading="lazy"
        decoding="async"
        referrerpolicy="no-referrer"
        data-initials="${initials}"
      />`
    }</span
  >`;
}

/** @param shown the name, else the address. */
export function avatarOf(
  { id, picture }: { id: string; picture: string | null },
  shown: string | null,
  shape: AvatarView['shape'] = 'person',
): AvatarView {
  return { initials: initialsOf(shown ?? ''), hue: hueOf(id), picture, shape };
}

/** The last digits of an id are random. */
function hueOf(id: string): number {
  return (Number.parseInt(id.slice(-2), 16) || 0) % 6;
}

/** Scripts with capital letters are those whose names are abbreviated by them. */
const cased = /^[\p{Lu}\p{Ll}\p{Lt}]/u;

/**
 * Returns the first letters of the first and the last word, or the first letter if the script has no capital ones: Arabic letters would
 * join, and one Chinese or Japanese character says as much as a word. A letter has its marks and modifiers (UAX 29).
 */
export function initialsOf(name: string): string {
  // An address has one part, not a first and a last name.
  const [local = ''] = name.split('@');
  const words = (local === name ? local.split(/\s+/u) : [local])
    .map(firstLetter)
    .filter((each) => each !== '');
  const [first = '?', ...others] = words;
  const last = others.at(-1);
  return last !== undefined && cased.test(first) && cased.test(last) ? first + last : first;
}

/** The first letter or digit of a word, as a capital letter; of a word without any, the first character. */
function firstLetter(word: string): string {
  const letters = Array.from(graphemes().segment(word), ({ segment }) => segment);
  const first = letters.find((letter) => /^[\p{L}\p{N}]/u.test(letter)) ?? letters[0] ?? '';
  const capital = first.toUpperCase();
  // The capital of a ligature, such as that of ß, has two letters.
  return [...capital].length === [...first].length ? capital : first;
}

const graphemes = lazily(() => new Intl.Segmenter(undefined, { granularity: 'grapheme' }));
