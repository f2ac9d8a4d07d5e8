/** Where sign-ins with a link or an identity provider end: it forwards to the page that was asked for, after a notice if there is one. */
import { isPath } from '../paths.js';
import { definePage, type View, type Visit } from '../page.js';
import { leave, reclaimedNotice } from './arrive.js';
import { stateOf } from './methods.js';
import { offerBefore } from './passkey-offer.js';
import { accountHolderOf } from './signed-in.js';

export const donePage = definePage({
  path: ({ signIn }) => `${signIn}/done`,
  access: 'open',
  isOffered: () => true,
  async show(visit) {
    // The identity provider returns it: another tab may have replaced the page in the cookie.
    const state = visit.query.get('state');
    const { flow } = visit;
    if (isPath(state)) flow.next = state;
    else if (state !== null && state !== stateOf(flow.next ?? '')) delete flow.next;
    const isReclaimed = visit.query.get('notice') === reclaimedNotice.notice;
    if (isReclaimed && (await accountHolderOf(visit))) return reclaimedView(visit);
    const next = leave(visit);
    // Not after an identity provider, which asks for its own passkey.
    return visit.query.has('link') ? offerBefore(visit, next) : next;
  },
});

/** The account was not verified, and its first proof has removed what was set before. Its links lead to a new password, and on. */
function reclaimedView(visit: Visit): View {
  const { offers, paths, templates, texts } = visit;
  const { title, lead } = texts.notices.reclaimed;
  const setPassword = { path: `${paths.account}/security/password`, label: texts.account.password.set };
  const links = [
    ...(offers.password ? [setPassword] : []),
    { path: `${paths.signIn}/done`, label: texts.continue },
  ];
  return { title, body: templates.message(visit, { title, lead, links, hasButton: true }) };
}
