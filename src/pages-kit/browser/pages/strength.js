/** How hard a new password is to guess, while it is typed. The estimator is loaded at the first key. */
/* exported enhanceStrength */

const enhanceStrength = () => {
  for (const meter of document.querySelectorAll('[data-strength]')) {
    const { field, levels, names, strength: path } = meter.dataset;
    const input = document.getElementById(field);
    let estimator;
    // What an attacker tries first, as a whole and in parts.
    const guesses = () => {
      const typed = [...input.form.querySelectorAll('[name=email], [name=username]')];
      const all = [...names.split('|'), ...typed.map(({ value }) => value)];
      return all.flatMap((each) => [each, ...each.split(/[^\p{L}\p{N}]+/u)]).filter(Boolean);
    };
    input.addEventListener('input', async () => {
      const loaded = await (estimator ??= import(path).catch(() => null));
      meter.hidden = !loaded || input.value === '';
      if (meter.hidden) return;
      const score = loaded.scoreOf(input.value, guesses());
      meter.dataset.score = score;
      meter.querySelector('.level').textContent = levels.split('|')[score];
    });
  }
};
