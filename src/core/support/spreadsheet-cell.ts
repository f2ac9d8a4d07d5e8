/** A spreadsheet runs a cell that begins with one of these signs as a formula; the apostrophe makes it text (CWE-1236). */
export function withoutFormula(value: string): string {
  return /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
}
