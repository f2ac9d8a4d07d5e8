/** Steps of a page: of the children of a `.steps`, one is shown. Back and forward go through them. */
import type { Fields } from './forms.js';

/** What the history remembers, also through a reload. */
interface Place {
  /** The steps that are shown and are not the first of the page, each with what it was filled with. */
  shown: Record<string, Fields>;
  /** The step that was reached last. */
  latest: string;
}

const containers = [...document.querySelectorAll<HTMLElement>('.steps')];
const stepsOf = (container: HTMLElement) => [...container.children] as HTMLElement[];
const first = new Map(containers.map((each) => [each, stepsOf(each).find(({ hidden }) => !hidden)]));
const filledWith = new Map<string, Fields>();

/** Shows a step and makes it a place that Back leaves. Values fill `[data-show]` and hidden fields of their name. */
export function goTo(step: string, values: Fields = {}): void {
  show(step, values);
  history.pushState(placeAt(step), '');
}

/** Shows a step in place of the one that the page began with: Back leaves the page. */
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

/** Shows a step in place of its neighbours. */
export function show(step: string, values: Fields = {}): void {
  const shown = document.getElementById(step);
  if (!shown) return;
  reveal(shown);
  filledWith.set(step, values);
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
  restore((event.state ?? {}) as Partial<Place>);
});

function restore({ shown = {} }: Partial<Place>): void {
  for (const each of containers.filter((container) => !container.closest('dialog'))) {
    const step = stepsOf(each).find(({ id }) => id in shown) ?? first.get(each);
    if (step?.hidden) show(step.id, shown[step.id]);
  }
}

/** After a reload: shows the steps that the page was at. */
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
  // A dialog is no place to go back to.
  if (button?.closest('dialog')) show(button.dataset['step']!);
  else if (button) goTo(button.dataset['step']!);
});

/** What the address has to say, which then is neither in the address bar nor in a bookmark: some of it is secret. */
export function takeQuery(): URLSearchParams {
  const { search, hash, pathname } = location;
  if (search) history.replaceState(history.state, '', pathname + hash);
  return new URLSearchParams(search);
}
