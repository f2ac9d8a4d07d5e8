/** The organizations of the user: the list, and a new one. */
import { html } from '../../../html/html.js';
import { input } from '../../../pages-kit/fields.js';
import { attempted } from '../../form.js';
import { accountForm } from '../form.js';
import { sectionIcons } from '../icons.js';
import { pageLinks, pageOf } from '../list.js';
import { at, done, pathOf, type AccountPage } from '../page.js';
import { badge, linkButton, panel, row, when } from '../parts.js';
import { invitePages } from './invites.js';
import { organizationKeyPages } from './keys.js';
import { memberPages } from './members.js';
import { organizationPage } from './organization.js';
import { endPages } from './end.js';

const listPage: AccountPage = {
  section: 'organizations',
  path: '/organizations',
  access: 'session',
  isOffered: ({ orgs }) => orgs !== null,
  async show(visit) {
    const { context, me, offers, words } = visit;
    const { organizations } = words;
    const list = await offers.orgs!.listForUser(me.id, pageOf(visit, 'organizations'), context);
    const rows = list.memberships.map(({ org, role, createdAt }) =>
      row({
        icon: sectionIcons.organizations,
        title: html`<a href="${visit.base}${at(visit, pathOf('/organizations/:org', org.id))}"
            ><bdi>${org.name}</bdi></a
          >
          ${badge(organizations.roles[role])}`,
        detail: organizations.memberSince(when(visit, createdAt)),
        actions: linkButton(visit, {
          path: at(visit, pathOf('/organizations/:org', org.id)),
          label: organizations.manage,
          about: org.name,
        }),
      }),
    );
    const body = panel({
      id: 'organizations',
      title: organizations.own,
      lead: organizations.lead,
      action: linkButton(visit, { path: at(visit, '/organizations/new'), label: organizations.create }),
      rows,
      empty: organizations.empty,
      body: pageLinks(visit, 'organizations', list.nextCursor),
    });
    return { title: words.sections.organizations, body };
  },
};

const newPage: AccountPage = {
  section: 'organizations',
  path: '/organizations/new',
  access: 'no-impersonation',
  isOffered: ({ orgs }) => orgs !== null,
  show(visit, attempt) {
    const { organizations } = visit.words;
    const body = html`<section class="panel">
      ${accountForm(visit, {
        action: at(visit, '/organizations/new'),
        fields: input({ ...attempted(attempt, 'name'), label: organizations.name, maxLength: 100 }),
        submit: organizations.create,
        cancel: at(visit, '/organizations'),
      })}
    </section>`;
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
};

export const organizationPages: readonly AccountPage[] = [
  listPage,
  newPage,
  organizationPage,
  ...memberPages,
  ...invitePages,
  ...organizationKeyPages,
  ...endPages,
];
