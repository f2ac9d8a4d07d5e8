/** The slots of an application, checked when they render: a string would show its tags, and a promise nothing that can be read. */
import { Html } from '../html/html.js';
import type { PageSlots } from './views.js';

/** What is wrong with a slot of the application. */
export class SlotError extends Error {
  constructor(name: string, problem: string, options?: ErrorOptions) {
    super(`The slot ${name} ${problem}`, options);
    this.name = 'SlotError';
  }
}

type Slot = (argument: never) => unknown;

export function checkedSlots(slots: PageSlots): PageSlots {
  return Object.fromEntries(
    Object.entries(slots)
      .filter(([, slot]) => slot !== undefined)
      .map(([name, slot]) => [name, checked(name, slot as Slot)]),
  );
}

function checked(name: string, slot: Slot): Slot {
  return (argument) => {
    let markup: unknown;
    try {
      markup = slot(argument);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new SlotError(name, `failed: ${message}`, { cause: error });
    }
    if (markup instanceof Html || isAbsent(markup)) return markup;
    throw new SlotError(name, 'must return markup of the tag html that svc-auth/pages exports.');
  };
}

/** What `condition && html`…`` is without its condition. */
function isAbsent(markup: unknown): boolean {
  return markup === undefined || markup === null || markup === false;
}
