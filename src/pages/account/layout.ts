/** The frame of the account pages: the navigation at the side, or on top of narrow screens. */
import { html, type Html } from '../../html/html.js';
import type { Assets } from '../assets.js';
import { brand, document, layout } from '../layout.js';
import { buttonForm } from './form.js';
import { sectionIcons } from './icons.js';
import {
  at,
  messageOf,
  nameOf,
  type AccountView,
  type AccountVisit,
  type Section,
  type ShownVisit,
} from './page.js';
import { sectionsOf } from './sections.js';

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

/** @param problem what is wrong with a form as a whole. */
export function accountLayout(
  visit: ShownVisit,
  assets: Assets,
  section: Section,
  view: AccountView,
  problem: string | null,
): Html {
  const { base, isImpersonated, record, slots, words } = visit;
  const message = messageOf(visit);
  const { body, parent, title } = view;
  const name = nameOf(record);
  const content = html`<header class="bar">
      <div class="inner">
        ${brand(visit)}
        <div class="who">
          ${name !== null && html`<bdi>${name}</bdi>`}
          ${buttonForm(visit, { action: at(visit, '/sign-out'), label: words.signOut, kind: 'link' })}
        </div>
      </div>
    </header>
    <div class="frame inner">
      <nav class="sections" aria-label="${words.title}">
        <ul>
          ${sectionsOf(visit.offers, record).map(
            (each) =>
              html`<li>
                <a
                  href="${base}${at(visit, `/${each}`)}"
                  ${each === section && html`aria-current="${parent ? 'true' : 'page'}"`}
                  >${sectionIcons[each]} ${words.sections[each]}</a
                >
              </li>`,
          )}
        </ul>
      </nav>
      <main id="main" tabindex="-1" class="${parent && !view.isWide ? 'narrow' : ''}">
        ${isImpersonated && html`<p class="banner bad">${words.impersonated}</p>`} ${bannerOf(problem)}
        ${message && problem === null && html`<p class="banner good" role="status">${message}</p>`}
        <div class="heading">
          ${parent && html`<a class="parent" href="${base}${at(visit, parent.path)}">${parent.label}</a>`}
          <h1><bdi>${title}</bdi></h1>
        </div>
        ${body}
      </main>
    </div>
    ${slots.footer && html`<footer class="inner">${slots.footer()}</footer>`}`;
  return document(visit, assets, view, 'account', content);
}
