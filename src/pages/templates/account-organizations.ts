/** The organizations of the user. */
import {
  avatar,
  badge,
  dotted,
  html,
  linkButton,
  pageLinks,
  panel,
  row,
  when,
  type AccountOrganizationsView,
  type AccountTemplatePage,
  type Html,
} from '../template.js';

export function accountOrganizations(page: AccountTemplatePage, view: AccountOrganizationsView): Html {
  const { base, paths } = page;
  const { organizations } = page.words;
  const rows = view.organizations.map(({ avatar: logo, createdAt, name, path, role, slug }) =>
    row({
      icon: avatar(logo),
      title: html`<a href="${base}${path}"><bdi>${name}</bdi></a> ${badge(organizations.roles[role])}`,
      detail: dotted(html`<bdi>${slug}</bdi>`, organizations.memberSince(when(page, createdAt))),
      actions: linkButton(page, { path, label: organizations.manage, about: name }),
    }),
  );
  return panel({
    id: 'organizations',
    title: organizations.own,
    lead: organizations.lead,
    action:
      view.canCreate &&
      linkButton(page, { path: `${paths.account}/organizations/new`, label: organizations.create }),
    rows,
    empty: organizations.empty,
    body: pageLinks(page, view.pages),
  });
}
