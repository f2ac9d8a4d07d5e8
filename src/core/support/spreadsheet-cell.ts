/**
 * Makes text safe for spreadsheets (CWE-1236, OWASP "CSV Injection"): a cell that begins with one of these signs runs as a formula, and the
 * apostrophe makes it text. Full-width signs count too, because programs for East Asian languages read them as the ordinary ones.
 */
const formulaStart = /^[=+\-@＝＋－＠\t\r\n]/;

/**
 * Where programs begin another cell, whatever the file says: most locales of Europe separate cells with `;`, and pasted text with tabs.
 * Blanks and quotes after it do not keep the next cell from being a formula.
 */
const innerStart = /([;\t\r\n]["' ]*)(?=[=+\-@＝＋－＠])/g;

export function withoutFormula(value: string): string {
  const text = value.replace(innerStart, "$1'");
  return formulaStart.test(text) ? `'${text}` : text;
}
