/** The form that edits the metadata of a user. */
import { html } from '../../html/html.js';
import { textArea } from '../../pages-kit/fields.js';
import { withFlash } from '../flash.js';
import { jsonFault } from '../json-fault.js';
import { pathOf, strongName, trailTo } from '../person.js';
import type { AdminTexts } from '../texts/texts.js';
import { changeOptions, versionField } from './version.js';
import { userForm } from './user-form.js';
import { FieldError } from '../../pages-kit/attempt.js';

export const metadataForm = userForm({
  path: '/users/:id/metadata',
  action: 'users.update',
  view: (user, call, attempt) => {
    const { texts } = call;
    const { editMetadata, metadataJson } = texts.actions;
    const current = JSON.stringify(user.metadata, null, 2);
    const typed = attempt?.values.get('metadata') ?? current;
    return {
      title: editMetadata.title,
      trail: trailTo(call, user),
      lead: editMetadata.lead(strongName(texts, user)),
      fields: [
        versionField(user),
        textArea({
          name: 'metadata',
          label: metadataJson,
          hint: editMetadata.hint,
          value: typed,
          error: attempt?.errors.get('metadata'),
          rows: Math.min(24, Math.max(8, typed.split('\n').length + 1)),
          isCode: true,
        }),
        html`${
          attempt &&
          typed !== current &&
          html`<details class="current">
            <summary>${editMetadata.current}</summary>
            <pre tabindex="0">${current}</pre>
          </details>`
        }`,
      ],
      submit: editMetadata.submit,
      back: pathOf(user.id),
    };
  },
  async submit(form, { service, texts, userId, by }) {
    const metadata = metadataOf(form, texts);
    await service.users.update(userId, { metadata }, changeOptions(form, texts, by));
    return withFlash(pathOf(userId), 'metadata');
  },
});

/** @throws FieldError that says where the text stops being a JSON object. */
export function metadataOf(form: URLSearchParams, { errors }: AdminTexts): Record<string, unknown> {
  const text = form.get('metadata') ?? '';
  if (text.trim() === '') return {};
  const value = parse(text, errors);
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new FieldError('metadata', errors.metadataObject('{"plan": "pro"}'));
}

function parse(text: string, errors: AdminTexts['errors']): unknown {
  const fault = jsonFault(text);
  if (!fault) return JSON.parse(text);
  const { line, column } = fault;
  throw new FieldError('metadata', errors.metadataSyntax(line, column));
}
