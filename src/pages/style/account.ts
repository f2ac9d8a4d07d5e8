/** The account pages: the navigation, and panels with rows. */
import { accountForms } from './account-forms.js';

export const account = `
.hidden { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.account { flex-direction: column; }
.account .inner { inline-size: 100%; max-inline-size: 70rem; margin-inline: auto; padding-inline: 1.5rem; }
.account .bar { background: var(--card); border-block-end: 1px solid var(--line); }
.account .bar .inner { display: flex; align-items: center; justify-content: space-between; gap: 1rem; min-block-size: 3.5rem; }
.account .bar .brand { flex: none; max-inline-size: 60%; }
.account .who { display: flex; align-items: baseline; gap: 1rem; min-inline-size: 0; font-size: 0.9375rem; }
.account .who bdi { color: var(--soft); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.account .who button { flex: none; }
.account .frame { display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 3rem; padding-block: 2rem 4rem; align-items: start; }
.account .sections { position: sticky; inset-block-start: 2rem; }
.account .sections ul { list-style: none; margin: 0; padding: 0; display: flex; flex-direction: column; gap: 0.125rem; }
.account .sections a { position: relative; display: flex; align-items: center; gap: 0.625rem; padding: 0.5rem 0.75rem; border-radius: var(--radius); color: var(--text); text-decoration: none; font-size: 0.9375rem; }
.account .sections a:hover { background: var(--sunk); }
.account .sections .icon { color: var(--soft); }
.account .sections [aria-current] { background: var(--current); font-weight: 600; }
.account .sections [aria-current] .icon { color: var(--accent); }
.account main { display: flex; flex-direction: column; gap: 1.5rem; min-inline-size: 0; }
.account main.narrow { max-inline-size: 36rem; }
.account h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
.account .heading { display: flex; flex-direction: column; gap: 0.25rem; align-items: start; }
.account .parent { font-size: 0.9375rem; text-decoration: none; }
.account .parent:hover { text-decoration: underline; }
.account .parent::before { content: '‹'; margin-inline-end: 0.375rem; }
[dir='rtl'] .account .parent::before { content: '›'; }
.panel { display: flex; flex-direction: column; gap: 1rem; padding: 1.25rem 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: calc(var(--radius) * 1.2); }
.panel.danger { border-color: var(--bad-line); }
.panel.danger h2 { color: var(--bad); }
.panel p { overflow-wrap: anywhere; }
.panel-head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.75rem 1.5rem; }
.panel-head > :first-child { flex: 1 1 16rem; }
.panel .soft { font-size: 0.9375rem; }
.panel h2 + .soft { margin-block-start: 0.125rem; }
.entries { list-style: none; margin: 0; padding: 0; }
.panel-head + .entries { border-block-start: 1px solid var(--line); margin-block-end: -0.75rem; }
.hidden + .entries { margin-block: -0.75rem; }
.entry { display: flex; flex-wrap: wrap; align-items: center; gap: 0.625rem 1rem; padding-block: 0.875rem; }
.entry + .entry { border-block-start: 1px solid var(--line); }
.entry > .icon { align-self: start; margin-block-start: 0.1875rem; color: var(--soft); }
.entry .what { flex: 1 1 12rem; min-inline-size: 0; }
.entry .name { font-weight: 550; overflow-wrap: anywhere; }
.entry .value { color: var(--text); }
.entry .soft { font-size: 0.875rem; overflow-wrap: anywhere; }
.actions { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.actions button, .actions .button { min-block-size: 2.25rem; padding: 0.25rem 0.75rem; font-size: 0.875rem; border-radius: calc(var(--radius) * 0.8); }
.nothing { padding-block-start: 1rem; border-block-start: 1px solid var(--line); color: var(--soft); font-size: 0.9375rem; }
.more { display: flex; gap: 1.25rem; padding-block-start: 0.75rem; font-size: 0.9375rem; }
time, .badge { unicode-bidi: isolate; }
.badge { display: inline-block; padding: 0.0625rem 0.5rem; border: 1px solid var(--line); border-radius: 1rem; color: var(--soft); font-size: 0.75rem; font-weight: 550; line-height: 1.5; vertical-align: 0.0625rem; white-space: nowrap; }
.badge.good { border-color: transparent; background: var(--good-soft); color: var(--good); }
.badge.warn { border-color: transparent; background: var(--warn-soft); color: var(--warn); }
.icon.letter { display: inline-grid; place-items: center; border-radius: 0.25rem; background: var(--sunk); font-size: 0.75rem; font-weight: 600; line-height: 1; }
.account > footer { margin-block-start: auto; padding-block: 1.5rem; }
@media (max-width: 52rem) {
  .account .frame { grid-template-columns: minmax(0, 1fr); gap: 1.25rem; padding-block-start: 1rem; }
  .account .sections { position: static; }
  .account .sections ul { flex-direction: row; flex-wrap: wrap; gap: 0.125rem; margin-inline: -0.5rem; }
  .account .sections a { padding: 0.375rem 0.5rem; font-size: 0.875rem; }
  .account .sections [aria-current] { font-weight: inherit; box-shadow: inset 0 0 0 1px var(--line); }
  .account .sections .icon { display: none; }
  .account main.narrow { max-inline-size: none; }
}
@media (max-width: 30rem) {
  .account .inner { padding-inline: 1rem; }
  .account .panel { padding: 1rem; }
  .entry .actions { flex-basis: 100%; }
  .actions button, .actions .button { min-block-size: 2.75rem; }
  .entry > .icon ~ .actions { margin-inline-start: 2.125rem; }
}
${accountForms}`;
