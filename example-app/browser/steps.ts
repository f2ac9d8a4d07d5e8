/** Steps of a page: one is shown, its neighbours are not. Back and forward go through them. */
import type { Fields } from './forms.js';

interface Place {
  step?: string;
  values?: Fields;
}

/** Shows a step and remembers it as a place that Back leaves. Values fill `[data-show]` and hidden fields of their name. */
export function goTo(step: string, values: Fields = {}): void {
  const from = shownBeside(step);
  if (from && history.state === null) history.replaceState({ step: from } satisfies Place, '');
  history.pushState({ step, values } satisfies Place, '');
  show(step, values);
}

export function show(step: string, values: Fields = {}): void {
  const shown = document.getElementById(step);
  if (!shown) return;
  for (const sibling of shown.parentElement!.children) (sibling as HTMLElement).hidden = sibling !== shown;
  for (const [name, value] of Object.entries(values)) {
    for (const place of shown.querySelectorAll(`[data-show="${name}"]`)) place.textContent = value;
    for (const input of shown.querySelectorAll<HTMLInputElement>(`input[type=hidden][name="${name}"]`)) {
      input.value = value;
    }
  }
  // A secret or a code that was typed before is of no use any more.
  for (const input of shown.querySelectorAll<HTMLInputElement>('[name=code], [type=password]'))
    input.value = '';
  focusIn(shown);
}

/** The focus goes where the person goes on. */
function focusIn(shown: HTMLElement): void {
  const visible = (element: HTMLElement) => element.offsetParent !== null;
  const inputs = [...shown.querySelectorAll<HTMLInputElement>('input:not([type=hidden], [type=radio])')];
  const target =
    inputs.filter(visible).find((input) => input.value === '') ??
    shown.querySelector<HTMLElement>('[tabindex="-1"]') ??
    inputs.find(visible);
  target?.focus();
}

function shownBeside(step: string): string | undefined {
  const siblings = document.getElementById(step)?.parentElement?.children ?? [];
  return [...siblings].find((sibling) => !(sibling as HTMLElement).hidden)?.id;
}

window.addEventListener('popstate', (event) => {
  const place = event.state as Place | null;
  if (place?.step) show(place.step, place.values);
});

document.addEventListener('click', (event) => {
  const button = (event.target as Element).closest<HTMLElement>('[data-step]');
  // A dialog is no place to go back to.
  if (button?.closest('dialog')) show(button.dataset['step']!);
  else if (button) goTo(button.dataset['step']!);
});

/** What the address has to say, which then is neither in the address bar nor in a bookmark: some of it is secret. */
export function takeQuery(): { query: URLSearchParams; hash: string } {
  const { search, hash, pathname } = location;
  if (search || hash) history.replaceState(history.state, '', pathname);
  return { query: new URLSearchParams(search), hash };
}
