/** Names of browsers and systems in user agents. Only a hint: a client can send any user agent. */

const clients = [
  ['Edge', /\bEdg/],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /SamsungBrowser/],
  ['Firefox', /Firefox|FxiOS/],
  ['Chrome', /Chrome|CriOS/],
  ['Safari', /Safari/],
  ['curl', /^curl/],
] as const;

const systems = [
  ['Android', /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS|Macintosh/],
  ['ChromeOS', /CrOS/],
  ['Linux', /Linux/],
] as const;

/** Returns the browser and the system, as far as the user agent names them. */
export function readUserAgent(userAgent: string): { client?: string; system?: string } {
  const find = (names: readonly (readonly [string, RegExp])[]) =>
    names.find(([, sign]) => sign.test(userAgent))?.[0];
  const [client, system] = [find(clients), find(systems)];
  return { ...(client !== undefined && { client }), ...(system !== undefined && { system }) };
}
