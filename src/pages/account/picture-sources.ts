/** The places from which pictures may come, in a sentence. */

/** @param language that of the sentence. */
export function listOf(sources: readonly string[], language: string): string {
  return new Intl.ListFormat(language, { type: 'disjunction' }).format(sources);
}
