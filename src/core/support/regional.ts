/** A regional variety of a language: its sentences are those of the language, except the ones that differ. */

/** Part of a language, at any depth. Lists and functions are replaced as a whole. */
export type Differences<Sentences> = {
  [Key in keyof Sentences]?: Sentences[Key] extends (...values: never[]) => unknown
    ? Sentences[Key]
    : Sentences[Key] extends readonly unknown[]
      ? Sentences[Key]
      : Sentences[Key] extends object
        ? Differences<Sentences[Key]>
        : Sentences[Key];
};

/** Returns the sentences of a language with those that differ in a region. */
export function regional<Sentences extends object>(
  language: Sentences,
  differences: Differences<Sentences>,
): Sentences {
  const entries = Object.entries(language).map(([key, sentence]: [string, unknown]) => {
    const other = (differences as Record<string, unknown>)[key];
    if (other === undefined) return [key, sentence];
    return [key, isGroup(sentence) && isGroup(other) ? regional(sentence, other) : other];
  });
  return Object.fromEntries(entries) as Sentences;
}

function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
