/** The applications to which the user has given access, with an OAuth server. */
import { at, defineAccountPage, done, pathOf, type AccountPage } from './page.js';
import { removal } from './removal.js';

const removePath = '/apps/:id/remove';

const appsPage = defineAccountPage({
  section: 'apps',
  path: '/apps',
  access: 'session',
  isOffered: ({ connectedApps }) => connectedApps !== null,
  async show(visit) {
    const { me, offers, templates, words } = visit;
    const apps = await offers.connectedApps!.list(me.id);
    const body = templates.accountApps(visit, {
      apps: apps.map(({ clientId, scopes, ...app }) => ({
        ...app,
        // Two resources can use the same words.
        scopes: [...new Set(scopes.map(({ description }) => description))],
        removePath: at(visit, pathOf(removePath, clientId)),
      })),
    });
    return { title: words.sections.apps, body };
  },
});

const removePage = removal({
  section: 'apps',
  path: removePath,
  access: 'no-impersonation',
  isOffered: ({ connectedApps }) => connectedApps !== null,
  words: ({ words: { apps } }) => ({
    title: apps.remove,
    lead: apps.removeLead,
    submit: apps.remove,
  }),
  parent: ({ words }) => ({ label: words.sections.apps, path: '/apps' }),
  async find({ me, offers, param }) {
    const apps = await offers.connectedApps!.list(me.id);
    return apps.find(({ clientId }) => clientId === param('id'))?.name;
  },
  async remove(visit) {
    const { context, me, offers, param } = visit;
    await offers.connectedApps!.remove(me.id, param('id'), context);
    return done(visit, '/apps', 'accessRemoved');
  },
});

export const connectedAppPages: readonly AccountPage[] = [appsPage, removePage];
