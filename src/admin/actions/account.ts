/** The forms that act on a user as a whole: sign out, impersonate, delete. */
import { html } from '../../html/html.js';
import type { UserRecord } from '../../domain/user-record.js';
import { input, textArea } from '../../pages-kit/fields.js';
import { withFlash } from '../flash.js';
import { startImpersonation } from '../impersonation.js';
import { formPage } from '../form-page.js';
import { nameOf, pathOf, trailTo } from '../person.js';
import { userForm } from './user-form.js';
import { FieldError } from '../../pages-kit/attempt.js';

export const signOutForm = userForm({
  path: '/users/:id/sign-out',
  action: 'users.signOut',
  view: (user, { me }) => ({
    title: 'Sign out everywhere',
    trail: trailTo(user),
    lead: html`Ends every session and token of <strong><bdi>${nameOf(user)}</bdi></strong
      >. API keys remain valid.`,
    warning: user.id === me.id && 'This is your own account. You will have to sign in again.',
    submit: 'Sign out everywhere',
    isDestructive: true,
    back: pathOf(user.id),
  }),
  async submit(_form, { service, userId, by }) {
    await service.users.signOut(userId, by);
    return withFlash(pathOf(userId), 'signed_out');
  },
});

export const impersonateForm = userForm({
  path: '/users/:id/impersonate',
  action: 'users.impersonate',
  view: (user, _call, attempt) => ({
    title: 'Impersonate user',
    trail: trailTo(user),
    lead: html`You act as <strong><bdi>${nameOf(user)}</bdi></strong> in the application for up to 15 minutes.
      To stop, use the button above every page of the account, or open the admin pages again.`,
    fields: [
      textArea({
        name: 'reason',
        label: 'Reason',
        optional: 'optional',
        hint: 'Recorded with the impersonation, such as the number of a support ticket.',
        value: attempt?.values.get('reason') ?? '',
        error: attempt?.errors.get('reason'),
      }),
    ],
    submit: 'Impersonate user',
    back: pathOf(user.id),
  }),
  async submit(form, call) {
    const { service, me, userId, token, homeUrl } = call;
    const reason = (form.get('reason') ?? '').trim();
    const issued = await service.sessionsProvider.impersonate(me.id, userId, {
      ...(reason && { reason }),
      sessionToken: token,
    });
    startImpersonation(call, issued);
    return { outside: homeUrl };
  },
});

/** What must be typed in before a user is deleted. */
const phraseOf = ({ email, username, id }: UserRecord) => email ?? username ?? id;

export const deleteForm = formPage<{ user: UserRecord }>({
  path: '/users/:id/delete',
  action: 'users.remove',
  // The accessor throws if deletion is not configured: before anything is typed in.
  read: async ({ service, userId }) => {
    const user = await service.users.get(userId);
    return { user, account: service.account };
  },
  view: ({ user }, { me }, attempt) => ({
    title: 'Delete user',
    trail: trailTo(user),
    lead: html`Deletes <strong><bdi>${nameOf(user)}</bdi></strong> with all sessions, sign-in methods, API
      keys and memberships, and the data that your application keeps about this user. This cannot be undone.`,
    warning: user.id === me.id && 'This is your own account.',
    fields: [
      html`<input type="hidden" name="phrase" value="${phraseOf(user)}" />`,
      input({
        name: 'confirmation',
        label: `To confirm, type ${phraseOf(user)}`,
        value: attempt?.values.get('confirmation') ?? '',
        error: attempt?.errors.get('confirmation'),
        required: true,
      }),
    ],
    submit: 'Delete user',
    isDestructive: true,
    back: pathOf(user.id),
  }),
  async submit(form, { service, userId, by }) {
    const phrase = form.get('phrase') ?? '';
    if (phrase === '' || form.get('confirmation')?.trim() !== phrase)
      throw new FieldError('confirmation', 'The text doesn’t match.');
    await service.account.deleteUser(userId, by);
    return withFlash('/users', 'deleted');
  },
});
