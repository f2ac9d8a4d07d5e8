/** The button in the header that ends the session of this browser. */
import { endBrowserSession } from '../../http/signed-in.js';
import { html } from '../../html/html.js';
import { changeBody } from './change.js';
import { at, defineAccountPage, done, type AccountView, type AccountVisit } from './page.js';
import { linkButton } from './parts.js';
import { canUpgrade } from './profile/upgrade.js';

export const signOutPage = defineAccountPage({
  section: 'profile',
  path: '/sign-out',
  access: 'session',
  forGuests: true,
  isOffered: () => true,
  show(visit, attempt) {
    // Opened with the address bar, or by Back: a link must not sign anyone out.
    if (!attempt) return done(visit, '/profile');
    // Of a tab that another user had opened: this one was not signed out.
    const { words } = visit;
    const form = { action: at(visit, '/sign-out'), fields: [], submit: words.signOut };
    const body = changeBody(visit, { form: { ...form, cancel: at(visit, '/profile') } });
    return { title: words.signOut, body };
  },
  forms: {
    '': {
      access: 'session',
      async submit(values, visit) {
        const { me, paths, req, res, service } = visit;
        // Only users without an address can be guests: the others cost no query.
        const mayBeGuest = me.email === null && values.get('confirmed') !== 'yes';
        if (mayBeGuest && (await service.users.get(me.id)).isGuest) return guestView(visit);
        await endBrowserSession(service, req, res);
        return { to: `${paths.signIn}?notice=signed_out` };
      },
    },
  },
});

/** A guest cannot sign in again, and would lose everything with one click. */
function guestView(visit: AccountVisit): AccountView {
  const { offers, texts, words } = visit;
  const hasUpgrade = canUpgrade(offers);
  const body = changeBody(visit, {
    lead: words.profile.guestLead,
    details:
      hasUpgrade &&
      html`<div class="buttons">
        ${linkButton(visit, { path: at(visit, '/profile/upgrade'), label: texts.signUp.submit, kind: 'primary' })}
      </div>`,
    form: {
      action: at(visit, '/sign-out'),
      fields: html`<input type="hidden" name="confirmed" value="yes" />`,
      submit: words.signOut,
      kind: hasUpgrade ? 'plain' : 'danger',
      cancel: at(visit, '/profile'),
    },
  });
  return { title: words.signOut, body };
}
