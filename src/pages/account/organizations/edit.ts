/** The name and the logo of an organization. */
import { maxNameLength } from '../../../domain/name.js';
import { atLeast } from '../../../domain/org.js';
import { internals } from '../../../core/internals.js';
import { input } from '../../../pages-kit/fields.js';
import { attempted } from '../../form.js';
import { changeBody } from '../change.js';
import { at, defineAccountPage, done } from '../page.js';
import { listOf } from '../picture-sources.js';
import { notFoundView } from '../refusal-views.js';
import { parentOf } from './members.js';
import { inOrganization, membershipIn } from './organization.js';

export const editPage = defineAccountPage({
  section: 'organizations',
  path: '/organizations/:org/edit',
  access: 'no-impersonation',
  isOffered: ({ orgs }) => orgs !== null,
  async show(visit, attempt) {
    const found = await membershipIn(visit);
    if (!found || !atLeast(found.membership.role, 'admin')) return notFoundView(visit);
    const { service, words } = visit;
    const { organizations } = words;
    const { profiles } = service[internals];
    const { name, picture } = profiles.ofOrg(found.org);
    const sources = profiles.pictureSources;
    const nameField = input({
      ...attempted(attempt, 'name', name ?? ''),
      label: organizations.name,
      maxLength: maxNameLength,
    });
    const logoField = input({
      ...attempted(attempt, 'picture', picture ?? ''),
      label: organizations.logo,
      hint: organizations.logoHint(listOf(sources, visit.language)),
    });
    const body = changeBody(visit, {
      form: {
        action: at(visit, inOrganization(visit, '/edit')),
        fields: sources.length > 0 ? [nameField, logoField] : nameField,
        submit: words.save,
        cancel: at(visit, inOrganization(visit)),
      },
    });
    return { title: organizations.edit, parent: await parentOf(visit), body };
  },
  forms: {
    '': {
      access: 'no-impersonation',
      async submit(values, visit) {
        const { actor, offers, param, service } = visit;
        const found = await membershipIn(visit);
        const shown = found && service[internals].profiles.ofOrg(found.org).picture;
        const picture = (values.get('picture') ?? '').trim() || null;
        // A picture that the pages may not show is not in the form, and stays.
        const changes = { name: values.get('name') ?? '', ...(picture !== shown && { picture }) };
        await offers.orgs!.update(param('org'), changes, actor);
        return done(visit, inOrganization(visit), 'orgSaved');
      },
    },
  },
});
