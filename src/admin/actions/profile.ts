/** The forms that change the profile of a user: address, username, roles, password. */
import { html } from '../../html/html.js';
import { checkBox, input } from '../../pages-kit/fields.js';
import { withFlash } from '../flash.js';
import { nameOf, pathOf, trailTo } from '../person.js';
import { changeOptions, versionField } from './version.js';
import { userForm } from './user-form.js';
import { FieldError } from '../../pages-kit/attempt.js';

export const addressForm = userForm({
  path: '/users/:id/address',
  action: 'users.update',
  view: (user, _call, attempt) => ({
    title: user.email === null ? 'Add email address' : 'Change email address',
    trail: trailTo(user),
    lead: 'A new address ends every session of the user, and cancels what was mailed to the old one.',
    fields: [
      versionField(user),
      input({
        name: 'email',
        type: 'email',
        label: 'Email address',
        value: attempt?.values.get('email') ?? user.email ?? '',
        error: attempt?.errors.get('email'),
        required: true,
      }),
      checkBox({
        name: 'verified',
        label: 'The address is verified',
        hint: 'Only if you know that this user reads mail to this address.',
        isChecked: attempt ? attempt.values.has('verified') : false,
      }),
    ],
    submit: 'Save address',
    back: pathOf(user.id),
  }),
  async submit(form, { service, userId, by }) {
    const changes = { email: form.get('email') ?? '', emailVerified: form.has('verified') };
    await service.users.update(userId, changes, changeOptions(form, by));
    return withFlash(pathOf(userId), 'address');
  },
});

export const verifyForm = userForm({
  path: '/users/:id/verify',
  action: 'users.update',
  view: (user) => ({
    title: 'Verify email address',
    trail: trailTo(user),
    lead: html`Marks <strong><bdi>${user.email ?? nameOf(user)}</bdi></strong> as verified, without a mail. Do
      this only if you know that the user reads mail to this address.`,
    fields: [versionField(user)],
    submit: 'Verify address',
    back: pathOf(user.id),
  }),
  async submit(form, { service, userId, by }) {
    await service.users.update(userId, { emailVerified: true }, changeOptions(form, by));
    return withFlash(pathOf(userId), 'verified');
  },
});

export const usernameForm = userForm({
  path: '/users/:id/username',
  action: 'users.update',
  view: (user, _call, attempt) => ({
    title: user.username === null ? 'Add username' : 'Change username',
    trail: trailTo(user),
    fields: [
      versionField(user),
      input({
        name: 'username',
        label: 'Username',
        hint: 'Leave empty for none.',
        value: attempt?.values.get('username') ?? user.username ?? '',
        error: attempt?.errors.get('username'),
        maxLength: 64,
      }),
    ],
    submit: 'Save username',
    back: pathOf(user.id),
  }),
  async submit(form, { service, userId, by }) {
    const username = (form.get('username') ?? '').trim() || null;
    await service.users.update(userId, { username }, changeOptions(form, by));
    return withFlash(pathOf(userId), 'username');
  },
});

export const rolesForm = userForm({
  path: '/users/:id/roles',
  action: 'users.update',
  view: (user, { me }, attempt) => ({
    title: 'Change roles',
    trail: trailTo(user),
    lead: html`The roles of <strong><bdi>${nameOf(user)}</bdi></strong> in the application.`,
    warning:
      user.id === me.id && 'This is your own account. Without your role you may lose access to these pages.',
    fields: [
      versionField(user),
      input({
        name: 'roles',
        label: 'Roles',
        hint: 'Separated by spaces or commas, such as: support billing. Leave empty for none.',
        value: attempt?.values.get('roles') ?? user.roles.join(' '),
        error: attempt?.errors.get('roles'),
      }),
    ],
    submit: 'Save roles',
    back: pathOf(user.id),
  }),
  async submit(form, { service, userId, by }) {
    await service.users.update(userId, { roles: rolesOf(form) }, changeOptions(form, by));
    return withFlash(pathOf(userId), 'roles');
  },
});

export function rolesOf(form: URLSearchParams): string[] {
  return (form.get('roles') ?? '').split(/[\s,]+/).filter((role) => role !== '');
}

export const passwordForm = userForm({
  path: '/users/:id/password',
  action: 'users.setPassword',
  view: (user, _call, attempt) => ({
    title: user.hasPassword ? 'Replace password' : 'Set password',
    trail: trailTo(user),
    lead: html`Signs <strong><bdi>${nameOf(user)}</bdi></strong> out everywhere, and cancels pending codes and
      links.`,
    fields: [
      input({
        name: 'password',
        type: 'password',
        label: 'New password',
        autocomplete: 'new-password',
        error: attempt?.errors.get('password'),
        required: true,
      }),
    ],
    submit: 'Set password',
    isDestructive: true,
    back: pathOf(user.id),
  }),
  async submit(form, { service, userId, by }) {
    const password = form.get('password') ?? '';
    if (password === '') throw new FieldError('password', 'Enter a password.');
    await service.users.setPassword(userId, password, by);
    return withFlash(pathOf(userId), 'password');
  },
});
