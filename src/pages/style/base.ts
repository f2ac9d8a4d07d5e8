/** Text, links and the frame of the pages. */
export const base = `
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  min-block-size: 100vh;
  min-block-size: 100dvh;
  display: flex;
  background: var(--page);
  color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
}
h1 { margin: 0; font-size: 1.375rem; line-height: 1.25; font-weight: 650; letter-spacing: -0.012em; text-wrap: balance; }
h2 { margin: 0; font-size: 1.0625rem; line-height: 1.35; font-weight: 600; }
p { margin: 0; }
a { color: var(--accent); text-underline-offset: 0.18em; text-decoration-thickness: 0.06em; }
a:hover { color: var(--accent-hover); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
[hidden] { display: none !important; }
bdi { overflow-wrap: anywhere; }
/* Arabic letters are joined. */
[dir='rtl'] :is(h1, h2, .brand), :lang(ar) { letter-spacing: normal; }
/* Chinese and Japanese lines may end after any character, also within a word or a date. */
:lang(ja) { word-break: auto-phrase; }
:is(:lang(ja), :lang(zh)) time { white-space: nowrap; }
main:focus { outline: none; }
.skip { position: absolute; inset-inline-start: 1rem; inset-block-start: -4rem; padding: 0.5rem 1rem; background: var(--card); border-radius: var(--radius); }
.skip:focus { inset-block-start: 1rem; }
.column { flex: 1; min-inline-size: 0; display: flex; flex-direction: column; align-items: center; padding: 2.5rem 1rem 2rem; gap: 1.5rem; }
.column::before, .column > footer { flex: 1; }
.column:not(:has(> footer))::after { content: ''; flex: 1.4; }
.column::before { content: ''; }
.column > main { inline-size: 100%; max-inline-size: 25rem; }
.column > footer { display: flex; flex-direction: column; justify-content: end; align-items: center; gap: 0.75rem; }
.brand { display: inline-flex; align-items: center; color: inherit; text-decoration: none; font-weight: 650; font-size: 1.125rem; letter-spacing: -0.01em; }
.brand span { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; overflow-wrap: anywhere; text-align: start; line-height: 1.3; }
.column .brand { max-inline-size: 100%; padding-inline: 1.25rem; }
.column .brand span { text-align: center; }
.brand:hover { color: inherit; }
.brand img { display: block; block-size: 2rem; inline-size: auto; }
footer { color: var(--soft); font-size: 0.875rem; text-align: center; }
.languages summary { display: flex; justify-content: center; align-items: center; gap: 0.5rem; padding: 0.25rem 0.5rem; border-radius: var(--radius); cursor: pointer; }
.languages summary:hover { color: var(--text); }
.languages button { min-block-size: 1.75rem; }
.languages form { display: flex; flex-wrap: wrap; justify-content: center; gap: 0 0.75rem; max-inline-size: 25rem; padding-block-start: 0.25rem; }
.split > aside { display: none; }
@media (min-width: 64rem) {
  .split > .column, .split > aside { flex: 1; }
  .split > aside { display: block; background: var(--sunk); }
}
@media (max-width: 30rem) {
  .column { padding: 1.5rem 0 1rem; }
  .column::before { display: none; }
}`;
