/** Keeps a form from overwriting a change that was made after the form was opened. */
import type { UserRecord } from '../../domain/user-record.js';
import type { UserUpdateBy } from '../../providers/users/inputs.js';
import { html, type Html } from '../../html/html.js';
import type { Call } from '../page.js';
import type { AdminTexts } from '../texts/texts.js';
import { FieldError } from '../../pages-kit/attempt.js';

/** The time of the last change that the form shows. After a refusal this is the newer one, whose values the form then shows. */
export function versionField({ updatedAt }: UserRecord): Html {
  return html`<input type="hidden" name="updated_at" value="${updatedAt.toISOString()}" />`;
}

/** @throws FieldError if the form has no such time. */
export function changeOptions(form: URLSearchParams, { errors }: AdminTexts, by: Call['by']): UserUpdateBy {
  const ifUpdatedAt = new Date(form.get('updated_at') ?? '');
  if (Number.isNaN(ifUpdatedAt.getTime())) throw new FieldError('', errors.incomplete);
  return { ...by, ifUpdatedAt };
}
