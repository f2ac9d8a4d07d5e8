/** The password: whether there is one, and its change. */
import { html } from '../../../html/html.js';
import { input } from '../../../pages-kit/fields.js';
import { link } from '../../form.js';
import { newPasswordInput } from '../../new-password.js';
import { usernameOf } from '../../sign-in/identity.js';
import { continueVisit } from '../continue-session.js';
import { changeBody } from '../change.js';
import { at, defineAccountPage, done, type ShownVisit } from '../page.js';
import type { AccountSecurityView } from '../views.js';
import { FieldError } from '../../../pages-kit/attempt.js';

/** Null if it is not offered. */
export function passwordOf({ offers, record }: ShownVisit): AccountSecurityView['password'] {
  const { email, hasPassword } = record;
  // A password belongs to an address.
  return offers.password && { isSet: hasPassword, canSet: hasPassword || email !== null };
}

export const passwordPage = defineAccountPage({
  section: 'security',
  path: '/security/password',
  access: 'recent',
  isOffered: ({ password }) => password !== null,
  show(visit, attempt) {
    const { features, name, paths, record, texts, words } = visit;
    const { password } = words;
    if (!record.hasPassword && record.email === null) return done(visit, '/security');
    const reveal = { show: texts.showPassword, hide: texts.hidePassword };
    const error = (field: string) => attempt?.errors.get(field);
    const canReset = record.hasPassword && record.email !== null && features.passwordReset !== null;
    const body = changeBody(visit, {
      form: {
        action: at(visit, '/security/password'),
        fields: [
          usernameOf(record.email ?? record.username ?? name),
          record.hasPassword &&
            input({
              name: 'current',
              label: password.current,
              type: 'password',
              autocomplete: 'current-password',
              reveal,
              error: error('current'),
            }),
          newPasswordInput(visit, {
            label: texts.newPassword,
            error: error('password'),
            names: [record.email, record.username],
            minPasswordLength: features.minPasswordLength,
            estimatorPath: visit.estimatorPath,
          }),
          record.hasPassword && html`<p class="soft">${password.isSet}</p>`,
        ],
        submit: record.hasPassword ? password.change : password.set,
        cancel: at(visit, '/security'),
      },
      below: canReset && html`<p class="soft">${link(visit, paths.reset, texts.signIn.forgot)}</p>`,
    });
    return {
      title: record.hasPassword ? password.change : password.set,
      parent: { label: words.sections.security, path: '/security' },
      body,
    };
  },
  forms: {
    '': {
      access: 'recent',
      async submit(values, visit) {
        const { context, me, offers, session, words } = visit;
        const [current, password] = [values.get('current') ?? '', values.get('password') ?? ''];
        const hasPassword = session.user.passwordHash !== null;
        if (hasPassword && current === '') throw new FieldError('current', words.errors.currentMissing);
        if (password === '') throw new FieldError('password', words.errors.passwordMissing);
        const change = { userId: me.id, newPassword: password };
        const changed = await offers.password!.changePassword(
          { ...change, ...(hasPassword && { currentPassword: current }) },
          context,
        );
        continueVisit(visit, changed);
        return done(visit, '/security', 'password');
      },
    },
  },
});
