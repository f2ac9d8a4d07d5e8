/** What has happened to the account, newest first. */
import {
  ago,
  badge,
  dotted,
  html,
  linkButton,
  pageLinks,
  panel,
  row,
  type AccountActivityView,
  type AccountTemplatePage,
  type Html,
} from '../template.js';

export function accountActivity(
  page: AccountTemplatePage,
  { activity, notYouPath, pages }: AccountActivityView,
): Html {
  const words = page.words.activity;
  return panel({
    id: 'activity',
    title: words.title,
    lead: words.lead,
    action: notYouPath !== null && linkButton(page, { path: notYouPath, label: words.notYou }),
    rows: activity.map((each) => activityRow(page, each)),
    empty: words.none,
    body: pageLinks(page, pages),
  });
}

function activityRow(page: AccountTemplatePage, each: AccountActivityView['activity'][number]): Html {
  const { at, attempts, by, client, icon, ip, isWarning, place, title } = each;
  const words = page.words.activity;
  return row({
    icon,
    title: html`<bdi>${title}</bdi> ${by !== null && badge(by)} ${attempts !== null && badge(attempts)}
      ${isWarning && badge(words.check, 'warn')}`,
    detail: dotted(
      client !== null && html`<bdi>${client}</bdi>`,
      place !== null && html`<bdi>${place}</bdi>`,
      ip !== null && html`<bdi>${ip}</bdi>`,
      ago(page, at),
    ),
  });
}
