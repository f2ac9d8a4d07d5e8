/** The name and the logo of an organization. */
import { maxNameLength } from '../../../domain/name.js';
import { atLeast } from '../../../domain/org.js';
import { internals } from '../../../core/internals.js';
import { input } from '../../../pages-kit/fields.js';
import { pictureField, typedPicture } from '../../../pages-kit/picture-field.js';
import { attempted } from '../../form.js';
import { changeBody } from '../change.js';
import { at, defineAccountPage, done } from '../page.js';
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
    const { language, service, words } = visit;
    const { organizations } = words;
    const { profiles } = service[internals];
    const { name, picture } = profiles.ofOrg(found.org);
    const sources = profiles.pictureSources;
    const nameField = input({
      ...attempted(attempt, 'name', name ?? ''),
      label: organizations.name,
      maxLength: maxNameLength,
    });
    const body = changeBody(visit, {
      form: {
        action: at(visit, inOrganization(visit, '/edit')),
        fields: [
          nameField,
          pictureField({
            attempt,
            picture,
            sources,
            language,
            label: organizations.logo,
            hint: organizations.logoHint,
          }),
        ],
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
        const { actor, offers, param } = visit;
        const changes = { name: values.get('name') ?? '', ...typedPicture(values) };
        await offers.orgs!.update(param('org'), changes, actor);
        return done(visit, inOrganization(visit), 'orgSaved');
      },
    },
  },
});
