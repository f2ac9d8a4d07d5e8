/** Reads a source until a signal: a source that hangs must not keep the import from ending. */
import type { ImportSource } from './import-options.js';

/** Yields what a source yields, and ends when the signal is aborted, also while the source has not responded. */
export async function* untilAborted(
  source: ImportSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown, void, undefined> {
  if (!signal) {
    yield* source;
    return;
  }
  const iterator: AsyncIterator<unknown> | Iterator<unknown> =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  let isOpen = true;
  try {
    while (!signal.aborted) {
      // The source is closed already if this rejects.
      isOpen = false;
      const step = await nextUnless(signal, async () => {
        const step: IteratorResult<unknown, unknown> = await iterator.next();
        return { done: step.done, value: await step.value };
      });
      if (step?.done) return;
      isOpen = true;
      // Without a step, the signal was aborted.
      if (step) yield step.value;
    }
  } finally {
    if (isOpen) {
      const closed = Promise.resolve(iterator.return?.());
      // A generator that hangs closes only when it continues.
      if (signal.aborted) closed.catch(() => undefined);
      else await closed;
    }
  }
}

/** Returns null as soon as the signal is aborted. The listener is removed: there can be millions of steps. */
function nextUnless<Step>(signal: AbortSignal, next: () => Promise<Step>): Promise<Step | null> {
  return new Promise((resolve, reject) => {
    const end = () => resolve(null);
    signal.addEventListener('abort', end, { once: true });
    next()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', end));
  });
}
