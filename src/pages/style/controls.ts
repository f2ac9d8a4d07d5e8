/** Fields and buttons. */
export const controls = `
form.steps { display: flex; flex-direction: column; gap: 1rem; }
form.inline { display: contents; }
.field { display: flex; flex-direction: column; gap: 0.375rem; }
.field label { font-size: 0.9375rem; font-weight: 550; }
.field .hint { font-size: 0.875rem; }
.field .error { color: var(--bad); font-size: 0.875rem; }
.field input {
  inline-size: 100%;
  min-block-size: 2.75rem;
  padding: 0.5rem 0.75rem;
  font: inherit;
  color: var(--text);
  background: var(--card);
  border: 1px solid var(--field);
  border-radius: var(--radius);
}
.field input:focus-visible { outline: 2px solid var(--accent); outline-offset: -1px; border-color: var(--accent); }
.field.invalid input { border-color: var(--bad); }
.field.invalid input:focus-visible { outline-color: var(--bad); }
.field input.code { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: 1.375rem; letter-spacing: 0.3em; text-align: center; direction: ltr; }
.unseen { position: absolute; inline-size: 1px; block-size: 1px; padding: 0; border: 0; opacity: 0; pointer-events: none; }
.secret { position: relative; display: block; }
.secret input { padding-inline-end: 5.5rem; }
.secret button { position: absolute; inset-block: 0; inset-inline-end: 0; min-block-size: 0; padding-inline: 0.75rem; border: 0; background: none; color: var(--soft); font-size: 0.875rem; }
button, .button {
  display: inline-flex;
  align-items: center;
  justify-content: center;
  gap: 0.625rem;
  min-block-size: 2.75rem;
  padding: 0.5rem 1rem;
  font: inherit;
  font-weight: 550;
  text-align: center;
  text-decoration: none;
  border: 1px solid transparent;
  border-radius: var(--radius);
  cursor: pointer;
}
button.primary, .button.primary { background: var(--accent); color: var(--on-accent); }
button.primary:hover, .button.primary:hover { background: var(--accent-hover); color: var(--on-accent); }
button.plain, .button.plain { background: var(--card); color: var(--text); border-color: var(--field); }
button.plain:hover, .button.plain:hover { background: var(--sunk); color: var(--text); }
button.link { min-block-size: 0; padding: 0; border: 0; background: none; color: var(--accent); font-weight: inherit; text-decoration: underline; text-underline-offset: 0.18em; text-decoration-thickness: 0.06em; }
/* A fast response shows no spinner. */
button[aria-busy='true'] { position: relative; color: transparent; cursor: progress; transition: color 0s 0.25s; }
button[aria-busy='true']:hover { color: transparent; }
button[aria-busy='true'] > .icon { opacity: 0; }
button[aria-busy='true']::after { content: ''; position: absolute; inset: 0; margin: auto; inline-size: 1.125rem; block-size: 1.125rem; border: 2px solid var(--text); border-inline-start-color: transparent; border-radius: 50%; opacity: 0; animation: busy 0.8s linear 0.25s infinite; }
button.primary[aria-busy='true']::after { border-color: var(--on-accent); border-inline-start-color: transparent; }
@media (prefers-reduced-motion: reduce) { button[aria-busy='true']::after { animation-duration: 4s; } }
@keyframes busy { from { opacity: 1; } to { opacity: 1; rotate: 1turn; } }
button:disabled { opacity: 0.6; cursor: default; }
.icon { inline-size: 1.125rem; block-size: 1.125rem; flex: none; }
.icon.line { fill: none; stroke: currentcolor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; }`;
