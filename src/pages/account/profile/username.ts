/** The user name: set, changed and removed. */
import { input } from '../../../pages-kit/fields.js';
import { attempted } from '../../form.js';
import { changeBody } from '../change.js';
import { at, defineAccountPage, done, type AccountPage } from '../page.js';
import { removal } from '../removal.js';
import { FieldError } from '../../../pages-kit/attempt.js';

const changePage = defineAccountPage({
  section: 'profile',
  path: '/profile/username',
  access: 'no-impersonation',
  isOffered: ({ usernames }) => usernames !== null,
  show(visit, attempt) {
    const { record, words } = visit;
    const { profile } = words;
    const body = changeBody(visit, {
      form: {
        action: at(visit, '/profile/username'),
        fields: input({
          ...attempted(attempt, 'username', record.username ?? ''),
          label: profile.username,
          hint: profile.usernameHint,
          autocomplete: 'nickname',
          maxLength: 64,
        }),
        submit: profile.saveUsername,
        cancel: at(visit, '/profile'),
      },
    });
    return {
      title: record.username === null ? profile.chooseUsername : profile.changeUsername,
      parent: { label: words.sections.profile, path: '/profile' },
      body,
    };
  },
  forms: {
    '': {
      access: 'no-impersonation',
      async submit(values, visit) {
        const { context, me, offers, words } = visit;
        const username = (values.get('username') ?? '').trim();
        if (username === '') throw new FieldError('username', words.errors.usernameMissing);
        await offers.usernames!.change({ userId: me.id, username }, context);
        return done(visit, '/profile', 'username');
      },
    },
  },
});

const removePage = removal({
  section: 'profile',
  path: '/profile/username/remove',
  access: 'no-impersonation',
  isOffered: ({ usernames }) => usernames !== null,
  words: ({ words: { profile } }) => ({
    title: profile.removeUsername,
    lead: profile.removeUsernameLead,
    submit: profile.removeUsername,
  }),
  parent: ({ words }) => ({ label: words.sections.profile, path: '/profile' }),
  find: async ({ record }) => record.username ?? undefined,
  async remove(visit) {
    const { context, me, offers } = visit;
    await offers.usernames!.change({ userId: me.id, username: null }, context);
    return done(visit, '/profile', 'usernameRemoved');
  },
});

export const usernamePages: readonly AccountPage[] = [changePage, removePage];
