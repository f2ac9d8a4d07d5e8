/** The forms that create and invite users. */
import { html } from '../../html/html.js';
import { checkBox, input, textArea } from '../../pages-kit/fields.js';
import { withFlash } from '../flash.js';
import { formPage } from '../form-page.js';
import { pathOf } from '../person.js';
import { metadataOf } from './metadata.js';
import { rolesOf } from './profile.js';
import type { Attempt } from '../../pages-kit/attempt.js';

const trail = [{ label: 'Users', path: '/users' }];
const noSubject = async () => null;

const text = (attempt: Attempt | null, name: string) => ({
  name,
  value: attempt?.values.get(name) ?? '',
  error: attempt?.errors.get(name),
});

const rolesField = (attempt: Attempt | null) =>
  input({
    ...text(attempt, 'roles'),
    label: 'Roles',
    optional: 'optional',
    hint: 'Separated by spaces or commas, such as: support billing.',
  });

const metadataField = (attempt: Attempt | null) =>
  html`<details class="more-fields" ${attempt?.errors.has('metadata') && html`open`}>
    <summary>Metadata</summary>
    ${textArea({
      ...text(attempt, 'metadata'),
      label: 'Metadata (JSON)',
      optional: 'optional',
      hint: 'A JSON object of at most 8 KB.',
      rows: 6,
      isCode: true,
    })}
  </details>`;

export const inviteForm = formPage({
  path: '/users/invite',
  action: 'users.invite',
  read: noSubject,
  view: (_subject, _call, attempt) => ({
    title: 'Invite user',
    trail,
    lead: 'The user gets a mail with a link that works once, for seven days. Opening it verifies the address.',
    fields: [
      input({ ...text(attempt, 'email'), type: 'email', label: 'Email address', required: true }),
      rolesField(attempt),
      metadataField(attempt),
    ],
    submit: 'Send invitation',
    back: '/users',
  }),
  async submit(form, { service, by }) {
    const input = { email: form.get('email') ?? '', roles: rolesOf(form), metadata: metadataOf(form) };
    const { user, created } = await service.users.invite(input, by);
    return withFlash(pathOf(user.id), created ? 'invited' : 'invited_again');
  },
});

export const createForm = formPage({
  path: '/users/new',
  action: 'users.create',
  read: noSubject,
  view: (_subject, _call, attempt) => ({
    title: 'Create user',
    trail,
    lead: 'Creates the account at once and sends no mail. To let the user choose a password, invite the user instead.',
    fields: [
      input({ ...text(attempt, 'email'), type: 'email', label: 'Email address', optional: 'optional' }),
      checkBox({
        name: 'verified',
        label: 'The address is verified',
        hint: 'Only if you know that this user reads mail to this address.',
        isChecked: attempt?.values.has('verified') ?? false,
      }),
      input({ ...text(attempt, 'username'), label: 'Username', optional: 'optional', maxLength: 64 }),
      input({
        ...text(attempt, 'password'),
        type: 'password',
        label: 'Password',
        optional: 'optional',
        autocomplete: 'new-password',
      }),
      rolesField(attempt),
      metadataField(attempt),
    ],
    submit: 'Create user',
    back: '/users',
  }),
  async submit(form, { service, by }) {
    const given = (name: string) => (form.get(name) ?? '').trim() || null;
    const input = {
      email: given('email'),
      emailVerified: form.has('verified'),
      username: given('username'),
      // Not trimmed: spaces are part of a password.
      password: form.get('password') || null,
      roles: rolesOf(form),
      metadata: metadataOf(form),
    };
    const { id } = await service.users.create(input, by);
    return withFlash(pathOf(id), 'created');
  },
});
