/** The card of a step, and the messages in it. */
export const card = `
.card {
  display: flex;
  flex-direction: column;
  gap: 1.25rem;
  padding: 2rem;
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: calc(var(--radius) * 1.6);
  box-shadow: var(--shadow);
}
@media (max-width: 30rem) {
  .card { padding: 1.5rem 1.25rem; border-inline: 0; border-radius: 0; box-shadow: none; }
}
.lead, .hint, .soft { color: var(--soft); }
.lead strong { color: var(--text); font-weight: 600; }
.below { font-size: 0.9375rem; color: var(--soft); }
.row { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; align-items: baseline; }
.others { display: grid; gap: 0.625rem; }
.button[data-remember='no'] { display: none; }
.card:has(input[name='remember']:not(:checked)) .button[data-remember='yes'] { display: none; }
.card:has(input[name='remember']:not(:checked)) .button[data-remember='no'] { display: inline-flex; }
.field label .soft { font-weight: 400; }
.or { display: flex; align-items: center; gap: 0.75rem; color: var(--soft); font-size: 0.875rem; }
.or::before, .or::after { content: ''; flex: 1; border-block-start: 1px solid var(--line); }
.identity a { color: inherit; }
.identity { display: flex; flex-wrap: wrap; gap: 0.125rem 0.75rem; justify-content: space-between; padding: 0.5rem 0.75rem; background: var(--sunk); border-radius: var(--radius); font-size: 0.9375rem; }
.banner { padding: 0.625rem 0.75rem; border-radius: var(--radius); font-size: 0.9375rem; }
.banner.bad { background: var(--bad-soft); color: var(--bad); }
.banner.good { background: var(--good-soft); color: var(--good); }
.waiting { display: flex; gap: 0.625rem; align-items: center; color: var(--soft); font-size: 0.9375rem; }
.waiting::before { content: ''; inline-size: 0.5rem; block-size: 0.5rem; border-radius: 50%; background: var(--accent); }
@media (prefers-reduced-motion: no-preference) {
  .waiting::before { animation: waiting 1.6s ease-in-out infinite; }
  @keyframes waiting { 50% { opacity: 0.25; } }
}`;
