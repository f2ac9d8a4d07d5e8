/** The forms that change the profile of a user: address, username, roles, password. */
import { checkBox, input } from '../../pages-kit/fields.js';
import { withFlash } from '../flash.js';
import { pathOf, strongName, trailTo } from '../person.js';
import { changeOptions, versionField } from './version.js';
import { userForm } from './user-form.js';
import { FieldError } from '../../pages-kit/attempt.js';

export const addressForm = userForm({
  path: '/users/:id/address',
  action: 'users.update',
  view: (user, call, attempt) => ({
    title: call.texts.actions.address[user.email === null ? 'add' : 'change'],
    trail: trailTo(call, user),
    lead: call.texts.actions.address.lead,
    fields: [
      versionField(user),
      input({
        name: 'email',
        type: 'email',
        label: call.texts.actions.email,
        value: attempt?.values.get('email') ?? user.email ?? '',
        error: attempt?.errors.get('email'),
        required: true,
      }),
      checkBox({
        name: 'verified',
        label: call.texts.actions.verified,
        hint: call.texts.actions.verifiedHint,
        isChecked: attempt ? attempt.values.has('verified') : false,
      }),
    ],
    submit: call.texts.actions.address.submit,
    back: pathOf(user.id),
  }),
  async submit(form, { service, texts, userId, by }) {
    const changes = { email: form.get('email') ?? '', emailVerified: form.has('verified') };
    await service.users.update(userId, changes, changeOptions(form, texts, by));
    return withFlash(pathOf(userId), 'address');
  },
});

export const verifyForm = userForm({
  path: '/users/:id/verify',
  action: 'users.update',
  view: (user, call) => ({
    title: call.texts.actions.verify.title,
    trail: trailTo(call, user),
    lead: call.texts.actions.verify.lead(strongName(call.texts, user)),
    fields: [versionField(user)],
    submit: call.texts.actions.verify.submit,
    back: pathOf(user.id),
  }),
  async submit(form, { service, texts, userId, by }) {
    await service.users.update(userId, { emailVerified: true }, changeOptions(form, texts, by));
    return withFlash(pathOf(userId), 'verified');
  },
});

export const usernameForm = userForm({
  path: '/users/:id/username',
  action: 'users.update',
  view: (user, call, attempt) => ({
    title: call.texts.actions.changeUsername[user.username === null ? 'add' : 'change'],
    trail: trailTo(call, user),
    fields: [
      versionField(user),
      input({
        name: 'username',
        label: call.texts.actions.username,
        hint: call.texts.actions.emptyHint,
        value: attempt?.values.get('username') ?? user.username ?? '',
        error: attempt?.errors.get('username'),
        maxLength: 64,
      }),
    ],
    submit: call.texts.actions.changeUsername.submit,
    back: pathOf(user.id),
  }),
  async submit(form, { service, texts, userId, by }) {
    const username = (form.get('username') ?? '').trim() || null;
    await service.users.update(userId, { username }, changeOptions(form, texts, by));
    return withFlash(pathOf(userId), 'username');
  },
});

export const rolesForm = userForm({
  path: '/users/:id/roles',
  action: 'users.update',
  view: (user, call, attempt) => ({
    title: call.texts.actions.changeRoles.title,
    trail: trailTo(call, user),
    lead: call.texts.actions.changeRoles.lead(strongName(call.texts, user)),
    warning: user.id === call.me.id && call.texts.actions.changeRoles.own,
    fields: [
      versionField(user),
      input({
        name: 'roles',
        label: call.texts.actions.roles,
        hint: call.texts.actions.rolesEmptyHint('support billing'),
        value: attempt?.values.get('roles') ?? user.roles.join(' '),
        error: attempt?.errors.get('roles'),
      }),
    ],
    submit: call.texts.actions.changeRoles.submit,
    back: pathOf(user.id),
  }),
  async submit(form, { service, texts, userId, by }) {
    await service.users.update(userId, { roles: rolesOf(form) }, changeOptions(form, texts, by));
    return withFlash(pathOf(userId), 'roles');
  },
});

export function rolesOf(form: URLSearchParams): string[] {
  return (form.get('roles') ?? '').split(/[\s,]+/).filter((role) => role !== '');
}

export const passwordForm = userForm({
  path: '/users/:id/password',
  action: 'users.setPassword',
  view: (user, call, attempt) => ({
    title: call.texts.actions.password[user.hasPassword ? 'replace' : 'set'],
    trail: trailTo(call, user),
    lead: call.texts.actions.password.lead(strongName(call.texts, user)),
    fields: [
      input({
        name: 'password',
        type: 'password',
        label: call.texts.actions.password.new,
        autocomplete: 'new-password',
        error: attempt?.errors.get('password'),
        required: true,
      }),
    ],
    submit: call.texts.actions.password.set,
    isDestructive: true,
    back: pathOf(user.id),
  }),
  async submit(form, { service, texts, userId, by }) {
    const password = form.get('password') ?? '';
    if (password === '') throw new FieldError('password', texts.errors.passwordMissing);
    await service.users.setPassword(userId, password, by);
    return withFlash(pathOf(userId), 'password');
  },
});
