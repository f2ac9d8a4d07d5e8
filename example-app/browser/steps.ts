/** Steps of a page: of the children of a `.steps`, one is shown. Back and forward go through them. */
import type { Fields } from './forms.js';

/** What the history remembers: which steps are shown that are not the first, and what they were filled with. */
interface Place {
  shown: string[];
  values: Fields;
}

const containers = [...document.querySelectorAll<HTMLElement>('.steps')];
const stepsOf = (container: HTMLElement) => [...container.children] as HTMLElement[];
const first = new Map(containers.map((each) => [each, stepsOf(each).find(({ hidden }) => !hidden)]));
// A page that is loaded begins with its first steps, wherever it was left.
history.replaceState(null, '');

/** Shows a step and makes it a place that Back leaves. Values fill `[data-show]` and hidden fields of their name. */
export function goTo(step: string, values: Fields = {}): void {
  show(step, values);
  const now = containers
    .map((each) => stepsOf(each).find((child) => !child.hidden && child !== first.get(each))?.id)
    .filter((id) => id !== undefined);
  history.pushState({ shown: now, values } satisfies Place, '');
}

/** Shows a step in place of its neighbours. */
export function show(step: string, values: Fields = {}): void {
  const shown = document.getElementById(step);
  if (!shown) return;
  reveal(shown);
  for (const [name, value] of Object.entries(values)) fill(shown, name, value);
  // A secret or a code that was typed before is of no use any more.
  for (const input of shown.querySelectorAll<HTMLInputElement>('[name$=ode], [type=password]'))
    input.value = '';
  focusIn(shown);
}

function reveal(shown: HTMLElement): void {
  for (const sibling of stepsOf(shown.parentElement!)) sibling.hidden = sibling !== shown;
}

function fill(scope: ParentNode, name: string, value: string): void {
  for (const place of scope.querySelectorAll(`[data-show="${name}"]`)) place.textContent = value;
  for (const input of scope.querySelectorAll<HTMLInputElement>(`input[type=hidden][name="${name}"]`)) {
    input.value = value;
  }
}

/** The focus goes where the person goes on. */
function focusIn(shown: HTMLElement): void {
  const isVisible = (element: HTMLElement) => element.offsetParent !== null;
  const all = <E extends HTMLElement>(selector: string) =>
    [...shown.querySelectorAll<E>(selector)].filter(isVisible);
  const inputs = all<HTMLInputElement>('input:not([type=hidden], [type=radio])');
  const heading = all('[tabindex="-1"]');
  const target = inputs.find(({ value }) => value === '') ?? heading[0] ?? inputs[0] ?? all('button, a')[0];
  target?.focus();
}

window.addEventListener('popstate', (event) => {
  // A link to a part of the page, not one of ours.
  if (event.state === null && location.hash) return;
  const { shown = [], values = {} } = (event.state ?? {}) as Partial<Place>;
  for (const each of containers.filter((container) => !container.closest('dialog'))) {
    const step = stepsOf(each).find(({ id }) => shown.includes(id)) ?? first.get(each);
    if (step?.hidden) show(step.id, values);
  }
});

document.addEventListener('click', (event) => {
  const button = (event.target as Element).closest<HTMLElement>('[data-step]');
  // A dialog is no place to go back to.
  if (button?.closest('dialog')) show(button.dataset['step']!);
  else if (button) goTo(button.dataset['step']!);
});

/** What the address has to say, which then is neither in the address bar nor in a bookmark: some of it is secret. */
export function takeQuery(): URLSearchParams {
  const { search, hash, pathname } = location;
  if (search) history.replaceState(null, '', pathname + hash);
  return new URLSearchParams(search);
}
