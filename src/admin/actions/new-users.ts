/** The forms that create and invite users. */
import { html } from '../../html/html.js';
import { checkBox, input, textArea } from '../../pages-kit/fields.js';
import { withFlash } from '../flash.js';
import { formPage } from '../form-page.js';
import { pathOf, trailToUsers } from '../person.js';
import type { AdminTexts } from '../texts/texts.js';
import { metadataOf } from './metadata.js';
import { rolesOf } from './profile.js';
import type { Attempt } from '../../pages-kit/attempt.js';

const noSubject = async () => null;

const text = (attempt: Attempt | null, name: string) => ({
  name,
  value: attempt?.values.get(name) ?? '',
  error: attempt?.errors.get(name),
});

/** The role names are an example. */
const roleExample = 'support billing';

const rolesField = ({ actions, optional }: AdminTexts, attempt: Attempt | null) =>
  input({
    ...text(attempt, 'roles'),
    label: actions.roles,
    optional,
    hint: actions.rolesHint(roleExample),
  });

const metadataField = ({ actions, optional }: AdminTexts, attempt: Attempt | null) =>
  html`<details class="more-fields" ${attempt?.errors.has('metadata') && html`open`}>
    <summary>${actions.metadata}</summary>
    ${textArea({
      ...text(attempt, 'metadata'),
      label: actions.metadataJson,
      optional,
      hint: actions.metadataHint,
      rows: 6,
      isCode: true,
    })}
  </details>`;

export const inviteForm = formPage({
  path: '/users/invite',
  action: 'users.invite',
  read: noSubject,
  view: (_subject, { texts }, attempt) => ({
    title: texts.actions.invite.title,
    trail: trailToUsers(texts),
    lead: texts.actions.invite.lead,
    fields: [
      input({ ...text(attempt, 'email'), type: 'email', label: texts.actions.email, required: true }),
      rolesField(texts, attempt),
      metadataField(texts, attempt),
    ],
    submit: texts.actions.invite.submit,
    back: '/users',
  }),
  async submit(form, { service, texts, by }) {
    const input = { email: form.get('email') ?? '', roles: rolesOf(form), metadata: metadataOf(form, texts) };
    const { user, created } = await service.users.invite(input, by);
    return withFlash(pathOf(user.id), created ? 'invited' : 'invited_again');
  },
});

export const createForm = formPage({
  path: '/users/new',
  action: 'users.create',
  read: noSubject,
  view: (_subject, { texts }, attempt) => ({
    title: texts.actions.create.title,
    trail: trailToUsers(texts),
    lead: texts.actions.create.lead,
    fields: [
      input({
        ...text(attempt, 'email'),
        type: 'email',
        label: texts.actions.email,
        optional: texts.optional,
      }),
      checkBox({
        name: 'verified',
        label: texts.actions.verified,
        hint: texts.actions.verifiedHint,
        isChecked: attempt?.values.has('verified') ?? false,
      }),
      input({
        ...text(attempt, 'username'),
        label: texts.actions.username,
        optional: texts.optional,
        maxLength: 64,
      }),
      input({
        ...text(attempt, 'password'),
        type: 'password',
        label: texts.actions.create.password,
        optional: texts.optional,
        autocomplete: 'new-password',
      }),
      rolesField(texts, attempt),
      metadataField(texts, attempt),
    ],
    submit: texts.actions.create.title,
    back: '/users',
  }),
  async submit(form, { service, texts, by }) {
    const given = (name: string) => (form.get(name) ?? '').trim() || null;
    const input = {
      email: given('email'),
      emailVerified: form.has('verified'),
      username: given('username'),
      // Not trimmed: spaces are part of a password.
      password: form.get('password') || null,
      roles: rolesOf(form),
      metadata: metadataOf(form, texts),
    };
    const { id } = await service.users.create(input, by);
    return withFlash(pathOf(id), 'created');
  },
});
