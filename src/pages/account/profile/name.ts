/** The name and the picture that others see of the user. */
import { maxNameLength } from '../../../domain/name.js';
import { input } from '../../../pages-kit/fields.js';
import { pictureField, typedPicture } from '../../../pages-kit/picture-field.js';
import { typedName } from '../../../pages-kit/typed-name.js';
import { internals } from '../../../core/internals.js';
import { attempted } from '../../form.js';
import { changeBody } from '../change.js';
import { at, defineAccountPage, done } from '../page.js';

export const namePage = defineAccountPage({
  section: 'profile',
  path: '/profile/name',
  access: 'no-impersonation',
  forGuests: true,
  isOffered: ({ profiles }) => profiles !== null,
  show(visit, attempt) {
    const { language, me, service, words } = visit;
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
    const body = changeBody(visit, {
      form: {
        action: at(visit, '/profile/name'),
        fields: [
          nameField,
          pictureField({
            attempt,
            picture,
            sources,
            language,
            label: profile.picture,
            hint: profile.pictureHint,
          }),
        ],
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
        const name = typedName(values, service[internals].profiles.ofUser(me).name);
        await offers.profiles!.changeProfile({ userId: me.id, ...name, ...typedPicture(values) }, context);
        return done(visit, '/profile', 'profile');
      },
    },
  },
});
