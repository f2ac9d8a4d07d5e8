/** The form that changes the name and the picture of a user. */
import { internals } from '../../core/internals.js';
import { maxNameLength } from '../../domain/name.js';
import { html } from '../../html/html.js';
import { input } from '../../pages-kit/fields.js';
import { pictureField, typedPicture } from '../../pages-kit/picture-field.js';
import { typedName } from '../../pages-kit/typed-name.js';
import { withFlash } from '../flash.js';
import { nameOf, pathOf, trailTo } from '../person.js';
import { changeOptions, versionField } from './version.js';
import { userForm } from './user-form.js';

export const nameForm = userForm({
  path: '/users/:id/name',
  action: 'users.update',
  view(user, { service }, attempt) {
    const { profiles } = service[internals];
    const { name, picture } = profiles.ofUser(user);
    const sources = profiles.pictureSources;
    const nameField = input({
      name: 'name',
      label: 'Name',
      hint: 'Leave empty for none.',
      value: attempt?.values.get('name') ?? name ?? '',
      error: attempt?.errors.get('name'),
      maxLength: maxNameLength,
    });
    return {
      title: sources.length > 0 ? 'Change name and picture' : 'Change name',
      trail: trailTo(user),
      lead: html`What other users see of <strong><bdi>${nameOf(user)}</bdi></strong
        >.`,
      fields: [
        versionField(user),
        nameField,
        pictureField({
          attempt,
          picture,
          sources,
          language: 'en',
          label: 'Link to a picture',
          hint: (list) => `It must begin with ${list}. Leave empty for none.`,
        }),
      ],
      submit: 'Save',
      back: pathOf(user.id),
    };
  },
  async submit(form, { service, userId, by }) {
    const { profiles } = service[internals];
    const { name } = typedName(form, profiles.ofUser(await service.users.get(userId)).name);
    const { picture } = typedPicture(form);
    const changes = {
      ...(name !== undefined && { name: name === null ? null : profiles.parseName(name) }),
      ...(picture !== undefined && { picture: picture === null ? null : profiles.parsePicture(picture) }),
    };
    await service.users.update(userId, { mergeMetadata: changes }, changeOptions(form, by));
    return withFlash(pathOf(userId), 'name');
  },
});
