/** Steps of a page: one child of each `.steps` element is visible. Back and Forward move between them. */
import type { Fields } from './forms.js';

/** The state of a history entry. It survives a reload. */
interface Place {
  /** The visible steps that are not the first of their container, each with its values. */
  shown: Record<string, Fields>;
  /** The step that was shown last. */
  latest: string;
}

const containers = [...document.querySelectorAll<HTMLElement>('.steps')];
const stepsOf = (container: HTMLElement) => [...container.children] as HTMLElement[];
const first = new Map(containers.map((each) => [each, stepsOf(each).find(({ hidden }) => !hidden)]));
const filledWith = new Map<string, Fields>();

/** Shows a step and adds a history entry. Values fill `[data-show]` elements and hidden fields by name. */
export function goTo(step: string, values: Fields = {}): void {
  show(step, values);
  history.pushState(placeAt(step), '');
}

/** Shows a step without a history entry: Back leaves the page. */
export function startAt(step: string): void {
  show(step);
  history.replaceState(placeAt(step), '');
}

function placeAt(latest: string): Place {
  const later = containers
    .map((each) => stepsOf(each).find((child) => !child.hidden && child !== first.get(each))?.id)
    .filter((id) => id !== undefined);
  const shown = [...later, latest].map((id) => [id, filledWith.get(id) ?? {}]);
  return { shown: Object.fromEntries(shown) as Place['shown'], latest };
}

/** Shows a step and hides its siblings. */
export function show(step: string, values: Fields = {}): void {
  const shown = document.getElementById(step);
  if (!shown) return;
  reveal(shown);
  filledWith.set(step, values);
  for (const [name, value] of Object.entries(values)) fill(shown, name, value);
  // Clears passwords and codes that were typed before.
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

/** Focuses the first empty input, or else the heading or the first control. */
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
  // The user followed a link to a fragment of the page.
  if (event.state === null && location.hash) return;
  restore((event.state ?? {}) as Partial<Place>);
});

function restore({ shown = {} }: Partial<Place>): void {
  for (const each of containers.filter((container) => !container.closest('dialog'))) {
    const step = stepsOf(each).find(({ id }) => id in shown) ?? first.get(each);
    if (step?.hidden) show(step.id, shown[step.id]);
  }
}

/** Shows the steps that were visible before a reload. */
export function restoreSteps(): void {
  const place = history.state as Place | null;
  if (!place) return;
  const panel = document.getElementById(place.latest)?.closest<HTMLElement>('[data-method]');
  const method = panel && document.querySelector<HTMLInputElement>(`[value="${panel.dataset['method']}"]`);
  if (method) method.checked = true;
  restore(place);
}

document.addEventListener('click', (event) => {
  const button = (event.target as Element).closest<HTMLElement>('[data-step]');
  // Steps in a dialog have no history entries.
  if (button?.closest('dialog')) show(button.dataset['step']!);
  else if (button) goTo(button.dataset['step']!);
});

/** Returns the query and removes it from the address bar and the history, because it may contain a secret. */
export function takeQuery(): URLSearchParams {
  const { search, hash, pathname } = location;
  if (search) history.replaceState(history.state, '', pathname + hash);
  return new URLSearchParams(search);
}
