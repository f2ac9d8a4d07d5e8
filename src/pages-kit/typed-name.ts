/** The field of a name in a form. */

/**
 * Returns the name that was typed, null to remove it. Nothing if it is the one that is shown: a stored name that the pages may not show is
 * not in the form, and stays.
 */
export function typedName(values: URLSearchParams, shown: string | null): { name?: string | null } {
  const name = (values.get('name') ?? '').trim();
  return name === (shown ?? '') ? {} : { name: name || null };
}
