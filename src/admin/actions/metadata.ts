/** The form that edits the metadata of a user. */
import { html } from '../../html/html.js';
import { textArea } from '../../pages-kit/fields.js';
import { withFlash } from '../flash.js';
import { jsonFault } from '../json-fault.js';
import { nameOf, pathOf, trailTo } from '../person.js';
import { changeOptions, versionField } from './version.js';
import { userForm } from './user-form.js';
import { FieldError } from '../../pages-kit/attempt.js';

export const metadataForm = userForm({
  path: '/users/:id/metadata',
  action: 'users.update',
  view: (user, _call, attempt) => {
    const current = JSON.stringify(user.metadata, null, 2);
    const typed = attempt?.values.get('metadata') ?? current;
    return {
      title: 'Edit metadata',
      trail: trailTo(user),
      lead: html`What the application stores about <strong><bdi>${nameOf(user)}</bdi></strong
        >.`,
      fields: [
        versionField(user),
        textArea({
          name: 'metadata',
          label: 'Metadata (JSON)',
          hint: 'A JSON object of at most 8 KB. It replaces all of the metadata.',
          value: typed,
          error: attempt?.errors.get('metadata'),
          rows: Math.min(24, Math.max(8, typed.split('\n').length + 1)),
          isCode: true,
        }),
        html`${
          attempt &&
          typed !== current &&
          html`<details class="current">
            <summary>Current metadata</summary>
            <pre tabindex="0">${current}</pre>
          </details>`
        }`,
      ],
      submit: 'Save metadata',
      back: pathOf(user.id),
    };
  },
  async submit(form, { service, userId, by }) {
    const metadata = metadataOf(form);
    await service.users.update(userId, { metadata }, changeOptions(form, by));
    return withFlash(pathOf(userId), 'metadata');
  },
});

/** @throws FieldError that says where the text stops being a JSON object. */
export function metadataOf(form: URLSearchParams): Record<string, unknown> {
  const text = form.get('metadata') ?? '';
  if (text.trim() === '') return {};
  const value = parse(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new FieldError('metadata', 'The metadata must be a JSON object: {"plan": "pro"}, for example.');
}

function parse(text: string): unknown {
  const fault = jsonFault(text);
  if (!fault) return JSON.parse(text);
  const { line, column } = fault;
  throw new FieldError('metadata', `This is not valid JSON. Check line ${line}, column ${column}.`);
}
