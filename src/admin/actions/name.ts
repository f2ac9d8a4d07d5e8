/** The form that changes the name and the picture of a user. */
import { internals } from '../../core/internals.js';
import { maxNameLength } from '../../domain/name.js';
import { html } from '../../html/html.js';
import { input } from '../../pages-kit/fields.js';
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
    const pictureField = input({
      name: 'picture',
      label: 'Link to a picture',
      hint: `It must begin with ${new Intl.ListFormat('en', { type: 'disjunction' }).format(sources)}. Leave empty for none.`,
      value: attempt?.values.get('picture') ?? picture ?? '',
      error: attempt?.errors.get('picture'),
    });
    return {
      title: sources.length > 0 ? 'Change name and picture' : 'Change name',
      trail: trailTo(user),
      lead: html`What other users see of <strong><bdi>${nameOf(user)}</bdi></strong
        >.`,
      fields: [
        versionField(user),
        nameField,
        ...(sources.length > 0 ? [pictureField] : []),
        html`<input type="hidden" name="shown_picture" value="${picture}" />`,
      ],
      submit: 'Save',
      back: pathOf(user.id),
    };
  },
  async submit(form, { service, userId, by }) {
    const { profiles } = service[internals];
    const [name, picture] = ['name', 'picture'].map((field) => (form.get(field) ?? '').trim());
    // A picture that the pages may not show is not in the form, and stays.
    const isChanged = form.has('picture') && picture !== form.get('shown_picture');
    const changes = {
      name: name ? profiles.parseName(name) : null,
      ...(isChanged && { picture: picture ? profiles.parsePicture(picture) : null }),
    };
    await service.users.update(userId, { mergeMetadata: changes }, changeOptions(form, by));
    return withFlash(pathOf(userId), 'name');
  },
});
