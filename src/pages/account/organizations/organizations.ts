/** The organizations of the user: the list, and a new one. */
import { input } from '../../../pages-kit/fields.js';
import { internals } from '../../../core/internals.js';
import { attempted } from '../../form.js';
import { changeBody } from '../change.js';
import { listPages, pageOf } from '../list.js';
import { at, defineAccountPage, done, pathOf, type AccountPage } from '../page.js';
import { notFoundView } from '../refusal-views.js';
import { invitePages } from './invites.js';
import { organizationKeyPages } from './keys.js';
import { memberPages } from './members.js';
import { editPage } from './edit.js';
import { logoOf, organizationPage } from './organization.js';
import { endPages } from './end.js';

const listPage = defineAccountPage({
  section: 'organizations',
  path: '/organizations',
  access: 'session',
  isOffered: ({ orgs }) => orgs !== null,
  async show(visit) {
    const { context, me, offers, record, templates, words } = visit;
    const { memberships, nextCursor } = await offers.orgs!.listForUser(
      me.id,
      pageOf(visit, 'organizations'),
      context,
    );
    const body = templates.accountOrganizations(visit, {
      canCreate: visit.service[internals].mayCreateOrgs(record.roles),
      organizations: memberships.map(({ org, role, createdAt }) => ({
        name: org.name,
        slug: org.slug,
        avatar: logoOf(visit.service, org),
        role,
        createdAt,
        path: at(visit, pathOf('/organizations/:org', org.id)),
      })),
      pages: listPages(visit, 'organizations', nextCursor),
    });
    return { title: words.sections.organizations, body };
  },
});

const newPage = defineAccountPage({
  section: 'organizations',
  path: '/organizations/new',
  access: 'no-impersonation',
  isOffered: ({ orgs }) => orgs !== null,
  show(visit, attempt) {
    const { organizations } = visit.words;
    if (!visit.service[internals].mayCreateOrgs(visit.record.roles)) return notFoundView(visit);
    const body = changeBody(visit, {
      form: {
        action: at(visit, '/organizations/new'),
        fields: input({ ...attempted(attempt, 'name'), label: organizations.name, maxLength: 100 }),
        submit: organizations.create,
        cancel: at(visit, '/organizations'),
      },
    });
    return {
      title: organizations.create,
      parent: { label: organizations.title, path: '/organizations' },
      body,
    };
  },
  forms: {
    '': {
      access: 'no-impersonation',
      async submit(values, visit) {
        const { actor, me, offers } = visit;
        const name = values.get('name') ?? '';
        const { org } = await offers.orgs!.create({ name, ownerUserId: me.id }, actor);
        return done(visit, pathOf('/organizations/:org', org.id), 'orgCreated');
      },
    },
  },
});

export const organizationPages: readonly AccountPage[] = [
  listPage,
  newPage,
  organizationPage,
  editPage,
  ...memberPages,
  ...invitePages,
  ...organizationKeyPages,
  ...endPages,
];
