/** Functions of the application that have to answer at once, such as templates. */

/**
 * What such a function answers. A promise is handed on, to be refused like any other nonsense; but its rejection, of which
 * nobody else would hear, must not end the process.
 */
export function atOnce<T>(ask: () => T): T {
  const answer = ask();
  void Promise.resolve(answer).catch(() => undefined);
  return answer;
}
