/** What is wrong with a value for which a union has several kinds, such as `true` or an object. */
import type { $ZodIssue } from 'zod/v4/core';

/** Returns whether a branch is of another kind than the value: it says nothing about what the value contains. */
export function isOfOtherKind(branch: readonly $ZodIssue[]): boolean {
  return branch.every((issue) => {
    if (issue.path.length > 0) return false;
    return issue.code === 'invalid_union'
      ? issue.errors.every(isOfOtherKind)
      : ['invalid_type', 'invalid_value', 'custom'].includes(issue.code);
  });
}

const articles: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Returns what a union accepts, of all unions in it. The rules of our own schemas begin with "must be". */
export function kindsIn(issue: $ZodIssue): string[] {
  if (issue.code === 'invalid_union') return [...new Set(issue.errors.flat().flatMap(kindsIn))];
  if (issue.code === 'invalid_value') return issue.values.map((value) => JSON.stringify(value));
  if (issue.code === 'invalid_type') return [articles[issue.expected] ?? `a ${issue.expected}`];
  return [issue.message.replace(/^must be /, '')];
}

export function alternatives(kinds: readonly string[]): string {
  return kinds.join(', ').replace(/, ([^,]*)$/, ' or $1');
}
