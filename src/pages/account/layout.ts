/** The frames of the account pages. */
import { html, type Html } from '../../html/html.js';
import type { Assets } from '../assets.js';
import { documentOf, layout } from '../layout.js';
import { at, messageOf, type AccountView, type AccountVisit, type ShownVisit } from './page.js';
import type { ShownPerson } from './person.js';
import { sectionsOf } from './sections.js';
import type { AccountSection } from './views.js';

/** A step that stands alone: one card in the middle, as at the sign-in. */
export function cardLayout(
  visit: AccountVisit,
  assets: Assets,
  view: AccountView,
  problem: string | null,
): Html {
  return layout(visit, assets, { ...view, body: html`${bannerOf(problem)}${view.body}` });
}

function bannerOf(problem: string | null): Html | false {
  return problem !== null && html`<p class="banner bad" role="alert">${problem}</p>`;
}

/**
 * Where the script asks for what the browser should know about the passkeys: with the list of them, and after a change, which can have been
 * one of the name next to them. Not part of a template, which could leave it out.
 */
function signalsMark(
  { authPath, isImpersonated, offers, query }: AccountVisit,
  section: AccountSection,
  isFirstPage: boolean,
): Html | false {
  if (!offers.webauthn || isImpersonated) return false;
  const isShown = (section === 'security' && isFirstPage) || query.has('done');
  return isShown && html`<span hidden data-passkey-signals="${authPath}/passkeys/signals"></span>`;
}

/** @param problem what is wrong with a form as a whole. */
export function accountLayout(
  visit: ShownVisit,
  { account, avatar, name }: ShownPerson,
  assets: Assets,
  section: AccountSection,
  view: AccountView,
  problem: string | null,
): Html {
  const { isImpersonated, record } = visit;
  const { body, isOutside = false, isWide = false, notice = null, parent, title } = view;
  const message = messageOf(visit);
  const content = visit.templates.accountFrame(visit, {
    title,
    content: html`${body}${problem === null && signalsMark(visit, section, parent === undefined)}`,
    user: name ?? account ?? (record.isGuest ? visit.words.profile.guest : null),
    avatar,
    sections: sectionsOf(visit.offers, record),
    section: isOutside ? null : section,
    parent: parent ? { label: parent.label, path: at(visit, parent.path) } : null,
    isWide,
    isImpersonated,
    problem,
    message: message && !message.isNeutral ? message.text : null,
    notice: message?.isNeutral ? message.text : notice,
  });
  return documentOf(visit, assets, view, 'account', content);
}
