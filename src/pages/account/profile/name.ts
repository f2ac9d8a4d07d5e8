/** The name and the picture that others see of the user. */
import { maxNameLength } from '../../../domain/name.js';
import { input } from '../../../pages-kit/fields.js';
import { internals } from '../../../core/internals.js';
import { attempted } from '../../form.js';
import { changeBody } from '../change.js';
import { at, defineAccountPage, done } from '../page.js';
import { listOf } from '../picture-sources.js';

export const namePage = defineAccountPage({
  section: 'profile',
  path: '/profile/name',
  access: 'no-impersonation',
  forGuests: true,
  isOffered: ({ profiles }) => profiles !== null,
  show(visit, attempt) {
    const { me, service, words } = visit;
    const { profiles } = service[internals];
    const { profile } = words;
    const { name, picture } = profiles.ofUser(me);
    const sources = profiles.pictureSources;
    const nameField = input({
      ...attempted(attempt, 'name', name ?? ''),
      label: profile.name,
      hint: profile.nameHint,
      autocomplete: 'name',
      maxLength: maxNameLength,
    });
    const pictureField = input({
      ...attempted(attempt, 'picture', picture ?? ''),
      label: profile.picture,
      hint: profile.pictureHint(listOf(sources, visit.language)),
    });
    const body = changeBody(visit, {
      form: {
        action: at(visit, '/profile/name'),
        fields: sources.length > 0 ? [nameField, pictureField] : nameField,
        submit: words.save,
        cancel: at(visit, '/profile'),
      },
    });
    return {
      title: sources.length > 0 ? profile.editPerson : profile.editName,
      parent: { label: words.sections.profile, path: '/profile' },
      body,
    };
  },
  forms: {
    '': {
      access: 'no-impersonation',
      async submit(values, visit) {
        const { context, me, offers, service } = visit;
        const typed = (field: string) => (values.get(field) ?? '').trim() || null;
        const { picture } = service[internals].profiles.ofUser(me);
        await offers.profiles!.changeProfile(
          {
            userId: me.id,
            name: typed('name'),
            // A picture that the pages may not show is not in the form, and stays.
            ...(typed('picture') !== picture && { picture: typed('picture') }),
          },
          context,
        );
        return done(visit, '/profile', 'profile');
      },
    },
  },
});
