/** The forms of the account, and the secrets that are shown once. */
export const accountForms = `
.buttons { display: flex; flex-wrap: wrap; gap: 0.625rem; }
.card .buttons > button { flex: 1; }
button.danger, .button.danger { background: var(--card); color: var(--bad); border-color: var(--bad-line); }
button.danger:hover, .button.danger:hover { background: var(--bad-fill); color: var(--on-bad); border-color: var(--bad-fill); }
form.steps button.danger { background: var(--bad-fill); color: var(--on-bad); border-color: var(--bad-fill); }
form.steps button.danger:hover { filter: brightness(0.92); }
.subject { font-weight: 600; overflow-wrap: anywhere; }
.field select { inline-size: 100%; min-block-size: 2.75rem; padding: 0.5rem 0.75rem; font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--field); border-radius: var(--radius); }
fieldset { margin: 0; padding: 0; border: 0; display: flex; flex-direction: column; gap: 0.5rem; min-inline-size: 0; }
legend { padding: 0; margin-block-end: 0.375rem; font-size: 0.9375rem; font-weight: 550; }
.field.check { display: grid; grid-template-columns: auto 1fr; gap: 0 0.625rem; align-items: baseline; }
.field.check input { inline-size: 1.0625rem; block-size: 1.0625rem; min-block-size: 0; padding: 0; margin: 0; accent-color: var(--accent); align-self: center; }
.field.check label { font-weight: 450; overflow-wrap: anywhere; }
.field.check .hint { grid-column: 2; }
form.steps > .strength { margin-block-start: -0.5rem; }
.strength { display: flex; align-items: center; gap: 0.75rem; font-size: 0.875rem; color: var(--soft); }
.levels { display: flex; gap: 0.25rem; flex: none; inline-size: 8rem; }
.levels i { flex: 1; block-size: 0.25rem; border-radius: 0.125rem; background: var(--line); }
.strength[data-score='0'] i:nth-child(1), .strength[data-score='1'] i:nth-child(1) { background: var(--bad); }
.strength[data-score='2'] i:nth-child(-n + 2) { background: var(--warn); }
.strength[data-score='3'] i:nth-child(-n + 3), .strength[data-score='4'] i { background: var(--good); }
code { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: 0.875em; }
.entry .name code { color: var(--soft); font-weight: 400; }
.secret-text { display: block; padding: 0.75rem; background: var(--sunk); border-radius: var(--radius); overflow-wrap: anywhere; font-size: 0.9375rem; }
.guide { margin: 0; padding: 0; list-style: none; counter-reset: step; display: flex; flex-direction: column; gap: 1.75rem; }
.guide > li { counter-increment: step; display: flex; flex-direction: column; gap: 0.75rem; position: relative; padding-inline-start: 2.5rem; }
.guide > li::before { content: counter(step); position: absolute; inset-inline-start: 0; inset-block-start: 0; inline-size: 1.625rem; block-size: 1.625rem; display: grid; place-items: center; border-radius: 50%; background: var(--sunk); font-size: 0.875rem; font-weight: 600; }
.guide h2 { font-size: 1rem; line-height: 1.625rem; }
.guide .secret-text { letter-spacing: 0.04em; }
.qr { inline-size: 12rem; max-inline-size: 100%; block-size: auto; border-radius: var(--radius); border: 1px solid var(--line); }
.codes { list-style: none; margin: 0; padding: 1rem; background: var(--sunk); border-radius: var(--radius); display: grid; grid-template-columns: repeat(auto-fit, minmax(min(15.5rem, 100%), 1fr)); gap: 0.375rem 1rem; text-align: start; }
.codes code { font-size: 0.875rem; white-space: nowrap; }
.on-paper { display: none; }
@media (max-width: 30rem) {
  .guide > li { padding-inline-start: 0; }
  .guide > li::before { display: none; }
  .codes { padding: 0.75rem; }
  .codes code { font-size: 0.8125rem; }
}
@media print {
  .account .bar, .account .sections, .buttons, .heading .parent, .banner { display: none; }
  .account .frame { display: block; padding: 0; }
  .panel { border: 0; padding: 0; }
  .on-paper { display: block; font-weight: 600; }
  .codes { background: none; padding: 0; grid-template-columns: 1fr 1fr; }
}`;
