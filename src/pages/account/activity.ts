/** What has happened to the account, newest first, with the option `audit`. */
import type { AuditActivity } from '../../domain/audit.js';
import type { Html } from '../../html/html.js';
import { counted } from '../../pages-kit/numbers.js';
import { icons } from '../icons.js';
import { sentenceOf, warnings } from './activity-sentences.js';
import { clientOf, iconOfClient } from './device-names.js';
import { accountIcons } from './icons.js';
import { listPages, pageOf } from './list.js';
import { defineAccountPage, type AccountVisit } from './page.js';
import type { AccountActivityView } from './views.js';

export const activityPage = defineAccountPage({
  section: 'activity',
  path: '/activity',
  access: 'session',
  isOffered: ({ activity }) => activity !== null,
  async show(visit) {
    const { context, me, offers, templates, words } = visit;
    const page = await offers.activity!.listActivity(me.id, pageOf(visit, 'activity'), context);
    const body = templates.accountActivity(visit, {
      notYouPath: notYouPath(visit),
      activity: page.activity.map((each) => rowOf(visit, each)),
      pages: listPages(visit, 'activity', page.nextCursor),
    });
    return { title: words.sections.activity, body };
  },
});

/** The devices, which a user can sign out, else the password, whose change signs them out. */
function notYouPath({ offers, paths }: AccountVisit): string | null {
  if (offers.devices) return `${paths.account}/devices`;
  return offers.password ? `${paths.account}/security` : null;
}

function rowOf(visit: AccountVisit, activity: AuditActivity): AccountActivityView['activity'][number] {
  const { action, at, by, count, ip, outcome, place, userAgent } = activity;
  const { language, words } = visit;
  return {
    icon: iconOf(activity),
    title: sentenceOf(visit, activity),
    isWarning: outcome === 'failure' || warnings.has(action),
    by: by === 'user' || by === 'system' ? null : words.activity.by[by],
    attempts: count > 1 ? words.activity.attempts(counted(language, count)) : null,
    client: userAgent === null ? null : (clientOf(visit, userAgent) ?? null),
    ip,
    place,
    at,
  };
}

function iconOf({ action, userAgent }: AuditActivity): Html {
  const subject = action.slice(0, action.indexOf('.'));
  if (subject === 'session' || subject === 'refresh') return iconOfClient(userAgent ?? '');
  return Object.hasOwn(iconsBySubject, subject) ? iconsBySubject[subject]! : accountIcons.security;
}

const iconsBySubject: Readonly<Record<string, Html>> = {
  user: accountIcons.profile,
  username: accountIcons.profile,
  profile: accountIcons.profile,
  email: accountIcons.mail,
  passkey: icons.passkey,
  trusted_browser: accountIcons.trusted,
  api_key: accountIcons.tokens,
  oauth: accountIcons.apps,
  org: accountIcons.organizations,
};
