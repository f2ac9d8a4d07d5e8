/** The form that changes the name and the picture of a user. */
import { internals } from '../../core/internals.js';
import { maxNameLength } from '../../domain/name.js';
import { input } from '../../pages-kit/fields.js';
import { pictureField, typedPicture } from '../../pages-kit/picture-field.js';
import { typedName } from '../../pages-kit/typed-name.js';
import { withFlash } from '../flash.js';
import { pathOf, strongName, trailTo } from '../person.js';
import { changeOptions, versionField } from './version.js';
import { userForm } from './user-form.js';

export const nameForm = userForm({
  path: '/users/:id/name',
  action: 'users.update',
  view(user, call, attempt) {
    const { language, service, texts } = call;
    const { emptyHint, name: words } = texts.actions;
    const { profiles } = service[internals];
    const { name, picture } = profiles.ofUser(user);
    const sources = profiles.pictureSources;
    const nameField = input({
      name: 'name',
      label: words.name,
      hint: emptyHint,
      value: attempt?.values.get('name') ?? name ?? '',
      error: attempt?.errors.get('name'),
      maxLength: maxNameLength,
    });
    return {
      title: sources.length > 0 ? words.titleWithPicture : words.title,
      trail: trailTo(call, user),
      lead: words.lead(strongName(texts, user)),
      fields: [
        versionField(user),
        nameField,
        pictureField({
          attempt,
          picture,
          sources,
          language,
          label: words.picture,
          hint: words.pictureHint,
        }),
      ],
      submit: words.submit,
      back: pathOf(user.id),
    };
  },
  async submit(form, { service, texts, userId, by }) {
    const { profiles } = service[internals];
    const { name } = typedName(form, profiles.ofUser(await service.users.get(userId)).name);
    const { picture } = typedPicture(form);
    const changes = {
      ...(name !== undefined && { name: name === null ? null : profiles.parseName(name) }),
      ...(picture !== undefined && { picture: picture === null ? null : profiles.parsePicture(picture) }),
    };
    await service.users.update(userId, { mergeMetadata: changes }, changeOptions(form, texts, by));
    return withFlash(pathOf(userId), 'name');
  },
});
