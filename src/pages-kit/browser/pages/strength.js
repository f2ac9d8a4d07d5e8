/** How hard a new password is to guess, while it is typed. The estimator is loaded when the field gets the focus. */
/* exported enhanceStrength */

const enhanceStrength = () => {
  for (const meter of document.querySelectorAll('[data-strength]')) {
    const { field, levels, names, strength: path } = meter.dataset;
    const input = document.getElementById(field);
    let estimator;
    const load = () => (estimator ??= import(path).catch(() => null));
    input.addEventListener('focus', load);
    input.addEventListener('input', async () => {
      const loaded = await load();
      meter.hidden = !loaded || input.value === '';
      if (meter.hidden) return;
      const score = loaded.scoreOf(input.value, names.split('|'));
      meter.dataset.score = score;
      meter.querySelector('.level').textContent = levels.split('|')[score];
    });
  }
};
