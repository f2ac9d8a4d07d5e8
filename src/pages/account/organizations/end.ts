/** The end of the user's own membership, and of the organization. */
import { html } from '../../../html/html.js';
import { input } from '../../../pages-kit/fields.js';
import { attempted } from '../../form.js';
import { changeBody } from '../change.js';
import { at, defineAccountPage, done, type AccountPage } from '../page.js';
import { notFoundView } from '../refusal-views.js';
import { removal } from '../removal.js';
import { parentOf } from './members.js';
import { inOrganization, membershipIn } from './organization.js';
import { FieldError } from '../../../pages-kit/attempt.js';

const leavePage = removal({
  section: 'organizations',
  path: '/organizations/:org/leave',
  // As the JSON route: leaving harms no other member.
  access: 'no-impersonation',
  isOffered: ({ orgs }) => orgs !== null,
  words: ({ words: { organizations } }) => ({
    title: organizations.leave,
    lead: organizations.leaveLead,
    submit: organizations.leave,
  }),
  parent: parentOf,
  find: async (visit) => (await membershipIn(visit))?.org.name,
  async remove(visit) {
    const { actor, me, offers, param } = visit;
    await offers.orgs!.removeMember(param('org'), me.id, actor);
    return done(visit, '/organizations', 'orgLeft');
  },
});

const deletePage = defineAccountPage({
  section: 'organizations',
  path: '/organizations/:org/delete',
  access: 'recent',
  isOffered: ({ orgs }) => orgs !== null,
  async show(visit, attempt) {
    const found = await membershipIn(visit);
    if (found?.membership.role !== 'owner') return notFoundView(visit);
    const { data, organizations } = visit.words;
    const phrase = found.org.name;
    const body = changeBody(visit, {
      lead: organizations.deleteLead,
      form: {
        action: at(visit, inOrganization(visit, '/delete')),
        fields: [
          html`<input type="hidden" name="phrase" value="${phrase}" />`,
          input({ ...attempted(attempt, 'confirmation'), label: data.deleteConfirm(phrase) }),
        ],
        submit: organizations.delete,
        kind: 'danger',
        cancel: at(visit, inOrganization(visit)),
      },
    });
    return { title: organizations.delete, parent: await parentOf(visit), body };
  },
  forms: {
    '': {
      access: 'recent',
      async submit(values, visit) {
        const { actor, offers, param, words } = visit;
        const phrase = values.get('phrase') ?? '';
        if (phrase === '' || (values.get('confirmation') ?? '').trim() !== phrase.trim())
          throw new FieldError('confirmation', words.errors.phrase);
        await offers.orgs!.delete(param('org'), actor);
        return done(visit, '/organizations', 'orgDeleted');
      },
    },
  },
});

export const endPages: readonly AccountPage[] = [leavePage, deletePage];
