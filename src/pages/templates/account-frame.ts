/** The frame of the account pages: the navigation at the side, or on top of narrow screens. */
import {
  accountIcons,
  avatar,
  brand,
  buttonForm,
  html,
  type AccountFrameView,
  type AccountTemplatePage,
  type Html,
} from '../template.js';

export function accountFrame(page: AccountTemplatePage, view: AccountFrameView): Html {
  const { base, paths, slots, words } = page;
  const { content, isImpersonated, isWide, message, notice, parent, problem, section, title, user } = view;
  return html`<header class="bar">
      <div class="inner">
        ${brand(page)}
        <div class="who">
          ${
            user !== null &&
            html`<span class="me">${view.avatar && avatar(view.avatar, 'small')} <bdi>${user}</bdi></span>`
          }
          ${
            // The banner above the page ends an impersonation.
            !isImpersonated &&
            buttonForm(page, { action: `${paths.account}/sign-out`, label: words.signOut, kind: 'link' })
          }
        </div>
      </div>
    </header>
    <div class="frame inner">
      <nav class="sections" aria-label="${words.title}">
        <ul>
          ${view.sections.map(
            (each) =>
              html`<li>
                <a
                  href="${base}${paths.account}/${each}"
                  ${each === section && html`aria-current="${parent ? 'true' : 'page'}"`}
                  >${accountIcons[each]} ${words.sections[each]}</a
                >
              </li>`,
          )}
        </ul>
      </nav>
      <main id="main" tabindex="-1" class="${parent && !isWide ? 'narrow' : ''}">
        ${problem !== null && html`<p class="banner bad" role="alert">${problem}</p>`}
        ${message !== null && problem === null && html`<p class="banner good" role="status">${message}</p>`}
        ${notice !== null && problem === null && html`<p class="banner note" role="status">${notice}</p>`}
        <div class="heading">
          ${parent && html`<a class="parent" href="${base}${parent.path}"><bdi>${parent.label}</bdi></a>`}
          <h1><bdi>${title}</bdi></h1>
        </div>
        ${content}
      </main>
    </div>
    ${slots.footer && html`<footer class="inner">${slots.footer(page)}</footer>`}`;
}
