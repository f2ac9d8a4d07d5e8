/** Suggestions for misspelled names of options and keys. */

/** No known name is longer. A longer one may come from a request, and would take long to compare. */
const maxLength = 64;

/** Returns the most similar name, or undefined if none is within two edits or a third of the length. */
export function closestName(name: string, names: readonly string[]): string | undefined {
  if (name.length > maxLength) return undefined;
  const ranked = names.map((candidate) => ({
    candidate,
    distance: distance(name.toLowerCase(), candidate.toLowerCase()),
  }));
  const best = ranked.sort((a, b) => a.distance - b.distance)[0];
  return best && best.distance <= Math.max(2, name.length / 3) ? best.candidate : undefined;
}

/** Returns what is wrong with an unknown option. @param names those of the known ones. */
export function unknownOption(name: string, names: readonly string[]): string {
  return `is not an option; ${hint(name, names, 'options')}`;
}

/** As `unknownOption`, for a key of an object, and with the end of the sentence. */
export function unknownKey(name: string, names: readonly string[]): string {
  const text = `is not a known key; ${hint(name, names, 'known keys')}`;
  return text.endsWith('?') ? text : `${text}.`;
}

function hint(name: string, names: readonly string[], kind: string): string {
  const suggestion = closestName(name, names);
  return suggestion === undefined ? `the ${kind} are ${names.join(', ')}` : `did you mean ${suggestion}?`;
}

/** The Levenshtein distance, one row at a time. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substituted = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, substituted));
    }
    row = next;
  }
  return row[b.length]!;
}
