/**
 * `npx tsx scripts/provider-logos.ts` writes src/pages/logo-shapes.ts: the shapes of the logos of identity providers, from the package
 * simple-icons (CC0), of which this is the last version with LinkedIn and Slack. It is downloaded, and not a dependency: it has 3,000 logos.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const source = 'simple-icons@13.21.0';
/** The files of the package, by the names under which applications usually configure the providers. */
const files = {
  amazon: 'amazon',
  apple: 'apple',
  atlassian: 'atlassian',
  auth0: 'auth0',
  bitbucket: 'bitbucket',
  discord: 'discord',
  dropbox: 'dropbox',
  facebook: 'facebook',
  github: 'github',
  gitlab: 'gitlab',
  keycloak: 'keycloak',
  line: 'line',
  linear: 'linear',
  linkedin: 'linkedin',
  notion: 'notion',
  okta: 'okta',
  paypal: 'paypal',
  reddit: 'reddit',
  salesforce: 'salesforce',
  slack: 'slack',
  spotify: 'spotify',
  tiktok: 'tiktok',
  twitch: 'twitch',
  x: 'x',
};

const folder = mkdtempSync(path.join(tmpdir(), 'logos-'));
try {
  const packed = execFileSync('npm', ['pack', source, '--silent'], { cwd: folder, encoding: 'utf8' }).trim();
  execFileSync('tar', ['xzf', packed], { cwd: folder });
  const shapes = Object.entries(files).map(([name, file]) => {
    const svg = readFileSync(path.join(folder, 'package', 'icons', `${file}.svg`), 'utf8');
    const [, shape] = /<path d="([^"]+)"\/><\/svg>$/.exec(svg) ?? [];
    if (shape === undefined) throw new Error(`${file}.svg is not one path.`);
    return `  ${name}: '${shape}',\n`;
  });
  const code = `/** The shapes of logos in a square of 24, from ${source} (CC0): scripts/provider-logos.ts writes this file. */

export const logoShapes = {
${shapes.join('')}};
`;
  writeFileSync(new URL('../src/pages/logo-shapes.ts', import.meta.url), code);
} finally {
  rmSync(folder, { recursive: true });
}
