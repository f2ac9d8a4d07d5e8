/** The forms that act on a user as a whole: sign out, impersonate, delete. */
import { html } from '../../html/html.js';
import type { UserRecord } from '../../domain/user-record.js';
import { input, textArea } from '../../pages-kit/fields.js';
import { withFlash } from '../flash.js';
import { startImpersonation } from '../impersonation.js';
import { formPage } from '../form-page.js';
import { pathOf, strongName, trailTo } from '../person.js';
import { userForm } from './user-form.js';
import { FieldError } from '../../pages-kit/attempt.js';

export const signOutForm = userForm({
  path: '/users/:id/sign-out',
  action: 'users.signOut',
  view(user, call) {
    const { me, texts } = call;
    const { signOut } = texts.actions;
    return {
      title: signOut.title,
      trail: trailTo(call, user),
      lead: signOut.lead(strongName(texts, user)),
      warning: user.id === me.id && signOut.own,
      submit: signOut.title,
      isDestructive: true,
      back: pathOf(user.id),
    };
  },
  async submit(_form, { service, userId, by }) {
    await service.users.signOut(userId, by);
    return withFlash(pathOf(userId), 'signed_out');
  },
});

export const impersonateForm = userForm({
  path: '/users/:id/impersonate',
  action: 'users.impersonate',
  view(user, call, attempt) {
    const { texts } = call;
    const { impersonate, reasonLabel } = texts.actions;
    return {
      title: impersonate.title,
      trail: trailTo(call, user),
      lead: impersonate.lead(strongName(texts, user)),
      fields: [
        textArea({
          name: 'reason',
          label: reasonLabel,
          optional: texts.optional,
          hint: impersonate.reasonHint,
          value: attempt?.values.get('reason') ?? '',
          error: attempt?.errors.get('reason'),
        }),
      ],
      submit: impersonate.title,
      back: pathOf(user.id),
    };
  },
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
  view({ user }, call, attempt) {
    const { me, texts } = call;
    const { delete: words, ownAccount } = texts.actions;
    return {
      title: words.title,
      trail: trailTo(call, user),
      lead: words.lead(strongName(texts, user)),
      warning: user.id === me.id && ownAccount,
      fields: [
        html`<input type="hidden" name="phrase" value="${phraseOf(user)}" />`,
        input({
          name: 'confirmation',
          label: words.confirm(phraseOf(user)),
          value: attempt?.values.get('confirmation') ?? '',
          error: attempt?.errors.get('confirmation'),
          required: true,
        }),
      ],
      submit: words.title,
      isDestructive: true,
      back: pathOf(user.id),
    };
  },
  async submit(form, { service, texts, userId, by }) {
    const phrase = form.get('phrase') ?? '';
    if (phrase === '' || form.get('confirmation')?.trim() !== phrase)
      throw new FieldError('confirmation', texts.errors.phrase);
    await service.account.deleteUser(userId, by);
    return withFlash('/users', 'deleted');
  },
});
