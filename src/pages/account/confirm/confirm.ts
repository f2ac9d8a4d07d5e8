/** Asks the user to sign in again, with what the account has, before a change that a forgotten session must not make. */
import { isPrefetch } from '../../../http/request-context.js';
import { sentenceFor } from '../../form-errors.js';
import { arrive, leave } from '../../sign-in/arrive.js';
import { startUrl } from '../../sign-in/methods.js';
import { at, defineAccountPage, nameOf, type AccountPage, type ShownVisit } from '../page.js';
import { canUpgrade } from '../profile/upgrade.js';
import { sectionsOf } from '../sections.js';
import { codePages, confirmForms } from './codes.js';
import { confirmMethodsOf, noMethods } from './methods.js';
import { FieldError } from '../../../pages-kit/attempt.js';

const confirmPage = defineAccountPage({
  section: 'profile',
  path: '/confirm',
  access: 'no-impersonation',
  forGuests: true,
  isOffered: () => true,
  async show(visit, attempt) {
    const { isRecent, offers, query, record, req, templates, texts, words } = visit;
    if (isRecent) return leave(visit);
    // Where the sign-in arrives: a prefetched page must not change it.
    if (!isPrefetch(req)) visit.keep({});
    const { title } = words.confirm;
    const methods = record.isGuest ? noMethods : await confirmMethodsOf(visit);
    const body = templates.accountConfirm(visit, {
      title,
      attempt,
      // Where a passkey or an identity provider was refused.
      refusal: attempt ? null : sentenceFor(query.get('error') ?? '', texts),
      user: nameOf(record) ?? '',
      guest: record.isGuest ? { canUpgrade: canUpgrade(offers) } : null,
      action: at(visit, '/confirm'),
      cancelPath: cancelPathOf(visit),
      hasPassword: methods.hasPassword,
      byMail: methods.byMail,
      hasPhone: methods.phone !== null,
      hasPasskey: methods.hasPasskey,
      providers: methods.providers.map(({ icon, id, label, path }) => ({
        id,
        label,
        icon,
        url: startUrl(visit, `${path}/start`),
      })),
    });
    return { title, frame: 'card', body };
  },
  forms: {
    '': {
      access: 'no-impersonation',
      async submit(values, visit) {
        const { context, features, me, texts } = visit;
        const password = values.get('current') ?? '';
        if (!features.password) return { to: at(visit, '/confirm') };
        if (password === '') throw new FieldError('current', texts.errors.passwordMissing);
        const username = values.get('email') ?? '';
        const subject = me.email === null ? { username } : { email: me.email };
        return arrive(visit, await features.password.login({ ...subject, password }, context));
      },
    },
    ...confirmForms,
  },
});

/** The section of the page that was asked for. */
function cancelPathOf(visit: ShownVisit): string {
  const { base, flow, offers, paths, record } = visit;
  const account = `${base}${paths.account}/`;
  const asked = flow.next?.startsWith(account) ? flow.next.slice(account.length).split(/[/?]/)[0] : '';
  const section = sectionsOf(offers, record).find((each) => each === asked) ?? 'profile';
  return at(visit, `/${section}`);
}

export const confirmPages: readonly AccountPage[] = [confirmPage, ...codePages];
