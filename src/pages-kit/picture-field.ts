/** The field of a picture in a form. One that the pages may not show is not in the form, and stays. */
import { html, type Html } from '../html/html.js';
import type { Attempt } from './attempt.js';
import { input } from './fields.js';

interface PictureFieldOptions {
  attempt: Attempt | null;
  /** The picture of the user or the organization, if the pages may show it. */
  picture: string | null;
  /** Where pictures may come from. */
  sources: readonly string[];
  /** Of the page. */
  language: string;
  label: string;
  hint: (sources: string) => string;
}

const shownField = 'shown_picture';

/** False if no picture is allowed. */
export function pictureField(options: PictureFieldOptions): Html | false {
  const { attempt, picture, sources, language, label, hint } = options;
  if (sources.length === 0) return false;
  const field = input({
    name: 'picture',
    label,
    hint: hint(new Intl.ListFormat(language, { type: 'disjunction' }).format(sources)),
    value: attempt?.values.get('picture') ?? picture ?? '',
    error: attempt?.errors.get('picture'),
  });
  return html`${field}<input type="hidden" name="${shownField}" value="${picture}" />`;
}

/** Returns the picture that was typed, null to remove it. Nothing if the field was left as it was shown. */
export function typedPicture(values: URLSearchParams): { picture?: string | null } {
  const picture = (values.get('picture') ?? '').trim();
  return picture === (values.get(shownField) ?? '') ? {} : { picture: picture || null };
}
