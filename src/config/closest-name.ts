/** The known name that a misspelt one most likely meant. */

/** Undefined where nothing is within two edits, or a third of the word. */
export function closestName(name: string, known: readonly string[]): string | undefined {
  const ranked = known.map((each) => ({ each, distance: distance(name.toLowerCase(), each.toLowerCase()) }));
  const best = ranked.sort((a, b) => a.distance - b.distance)[0];
  return best && best.distance <= Math.max(2, name.length / 3) ? best.each : undefined;
}

/** Levenshtein's edit distance, one row at a time. */
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
