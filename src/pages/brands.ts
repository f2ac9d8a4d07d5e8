/** The names and logos of well-known identity providers, in the colors of their brands as far as these can be seen on light and dark. */
import { html, type Html } from '../html/html.js';
import { logoShapes } from './logo-shapes.js';

export interface Brand {
  label: string;
  logo: Html;
}

type Part = readonly [color: string, shape: string];

const drawing = (size: number, parts: readonly Part[]) =>
  html`<svg class="icon" viewBox="0 0 ${size} ${size}" aria-hidden="true" focusable="false">
    ${parts.map(([color, shape]) => html`<path fill="${color}" d="${shape}" />`)}
  </svg>`;

/** @param color that of the text for logos that are black or white. */
const brand = (label: string, shape: string, color = 'currentcolor'): Brand => ({
  label,
  logo: drawing(24, [[color, shape]]),
});

/** The colors of Google's sign-in guidelines. */
const google: readonly Part[] = [
  [
    '#4285f4',
    'M17.64 9.2c0-.64-.06-1.25-.16-1.84H9v3.48h4.84a4.14 4.14 0 0 1-1.8 2.72v2.26h2.92a8.78 8.78 0 0 0 2.68-6.62z',
  ],
  [
    '#34a853',
    'M9 18c2.43 0 4.47-.8 5.96-2.18l-2.92-2.26c-.8.54-1.84.86-3.04.86-2.34 0-4.32-1.58-5.03-3.7H.96v2.33A9 9 0 0 0 9 18z',
  ],
  ['#fbbc05', 'M3.97 10.72a5.4 5.4 0 0 1 0-3.44V4.95H.96a9 9 0 0 0 0 8.1l3.01-2.33z'],
  [
    '#ea4335',
    'M9 3.58c1.32 0 2.5.45 3.44 1.35l2.58-2.59A9 9 0 0 0 .96 4.95l3.01 2.33C4.68 5.16 6.66 3.58 9 3.58z',
  ],
];

const microsoft: readonly Part[] = [
  ['#f25022', 'M0 0h10v10H0z'],
  ['#7fba00', 'M11 0h10v10H11z'],
  ['#00a4ef', 'M0 11h10v10H0z'],
  ['#ffb900', 'M11 11h10v10H11z'],
];

/** Each color has two of the closed shapes. */
const slack = ['#e01e5a', '#36c5f0', '#2eb67d', '#ecb22e'].map((color, index): Part => {
  const shapes = logoShapes.slack.split(/(?<=z)/);
  return [color, shapes.slice(index * 2, index * 2 + 2).join('')];
});

/** By the names under which applications usually configure them. */
export const brands = {
  amazon: brand('Amazon', logoShapes.amazon, '#ff9900'),
  apple: brand('Apple', logoShapes.apple),
  atlassian: brand('Atlassian', logoShapes.atlassian, '#1868db'),
  auth0: brand('Auth0', logoShapes.auth0, '#eb5424'),
  bitbucket: brand('Bitbucket', logoShapes.bitbucket, '#1868db'),
  discord: brand('Discord', logoShapes.discord, '#5865f2'),
  dropbox: brand('Dropbox', logoShapes.dropbox, '#0061fe'),
  facebook: brand('Facebook', logoShapes.facebook, '#0866ff'),
  github: brand('GitHub', logoShapes.github),
  gitlab: brand('GitLab', logoShapes.gitlab, '#fc6d26'),
  google: { label: 'Google', logo: drawing(18, google) },
  keycloak: brand('Keycloak', logoShapes.keycloak),
  line: brand('LINE', logoShapes.line, '#06c755'),
  linear: brand('Linear', logoShapes.linear),
  linkedin: brand('LinkedIn', logoShapes.linkedin, '#0a66c2'),
  microsoft: { label: 'Microsoft', logo: drawing(21, microsoft) },
  notion: brand('Notion', logoShapes.notion),
  okta: brand('Okta', logoShapes.okta),
  paypal: brand('PayPal', logoShapes.paypal, '#0079c1'),
  reddit: brand('Reddit', logoShapes.reddit, '#ff4500'),
  salesforce: brand('Salesforce', logoShapes.salesforce, '#00a1e0'),
  slack: { label: 'Slack', logo: drawing(24, slack) },
  spotify: brand('Spotify', logoShapes.spotify, '#1db954'),
  tiktok: brand('TikTok', logoShapes.tiktok),
  twitch: brand('Twitch', logoShapes.twitch, '#9146ff'),
  x: brand('X', logoShapes.x),
} satisfies Record<string, Brand>;

/** Returns the brand of a provider by its name, or null. */
export function brandOf(name: string): Brand | null {
  return Object.hasOwn(brands, name) ? brands[name as keyof typeof brands] : null;
}
