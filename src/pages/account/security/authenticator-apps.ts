/** The end of two-factor authentication, and one authenticator app: another name, and its end. */
import type { PublicTotpApp } from '../../../providers/totp/inputs.js';
import { continueVisit } from '../continue-session.js';
import { done, type AccountPage, type AccountVisit } from '../page.js';
import { removal } from '../removal.js';
import { renaming } from '../renaming.js';

const parentOf = ({ words }: AccountVisit) => ({ label: words.sections.security, path: '/security' });
const isOffered: AccountPage['isOffered'] = ({ totp }) => totp !== null;

async function appOf({ context, me, offers, param }: AccountVisit): Promise<PublicTotpApp | undefined> {
  const apps = await offers.totp!.listApps(me.id, context);
  return apps.find(({ id }) => id === param('id'));
}

const renamePage = renaming({
  section: 'security',
  path: '/security/authenticator/:id/rename',
  isOffered,
  title: ({ words }) => words.authenticator.renameTitle,
  parent: parentOf,
  async find(visit) {
    const app = await appOf(visit);
    return app && (app.name ?? '');
  },
  async rename(visit, name) {
    const { context, me, offers, param } = visit;
    await offers.totp!.renameApp({ userId: me.id, id: param('id'), name }, context);
    return done(visit, '/security', 'renamed');
  },
});

const removePage = removal({
  section: 'security',
  path: '/security/authenticator/:id/remove',
  access: 'recent',
  isOffered,
  async words({ context, me, offers, words: { authenticator } }) {
    const apps = await offers.totp!.listApps(me.id, context);
    return {
      title: authenticator.removeTitle,
      lead: apps.length === 1 ? authenticator.removeLastLead : authenticator.removeLead,
      submit: authenticator.removeTitle,
    };
  },
  parent: parentOf,
  async find(visit) {
    const app = await appOf(visit);
    return app && (app.name ?? visit.words.authenticator.app);
  },
  async remove(visit) {
    const { context, me, offers, param } = visit;
    continueVisit(visit, await offers.totp!.removeApp({ userId: me.id, id: param('id') }, context));
    return done(visit, '/security', 'appRemoved');
  },
});

const turnOffPage = removal({
  section: 'security',
  path: '/security/authenticator/turn-off',
  access: 'recent',
  isOffered,
  words: ({ words: { authenticator } }) => ({
    title: authenticator.turnOffTitle,
    lead: authenticator.turnOffLead,
    submit: authenticator.turnOff,
  }),
  parent: parentOf,
  find: async ({ record }) => (record.twoFactor ? null : undefined),
  async remove(visit) {
    const { context, me, offers } = visit;
    continueVisit(visit, await offers.totp!.disable(me.id, { ...context, startSession: true }));
    return done(visit, '/security', 'authenticatorOff');
  },
});

export const authenticatorAppPages: readonly AccountPage[] = [turnOffPage, renamePage, removePage];
