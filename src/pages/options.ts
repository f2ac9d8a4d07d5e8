/** The options of the pages. */
import type { Service } from '../engine/service.js';
import { ConfigError } from '../errors/catalog.js';
import type { ConfigFault } from '../errors/config-fault.js';
import { checkMilliseconds, optional, refuseOthers } from '../core/support/input.js';
import { usualFreshMs } from '../core/sessions/sessions.js';
import type { Html } from '../html/html.js';
import { isTarget } from '../http/redirects.js';
import { defaultPaths, type Paths } from './paths.js';
import { parseAccent } from './style/accent.js';
import type { Texts } from './texts/texts.js';

/** Markup of the application at fixed places of the pages. Write it with the tag `html`, which escapes every value. */
export interface PageSlots {
  /** Next to the card of the sign-in pages, on wide screens. */
  signInAside?: () => Html;
  /** At the end of every page. */
  footer?: () => Html;
}

export interface PagesOptions {
  /** The name of the product. */
  name: string;
  /** The path of a logo, above the card. Without it, the name is shown. */
  logo?: string;
  /** The color of buttons and links, as `#rrggbb`. Default `#3f4fd9`. */
  accent?: string;
  /** The path at which a user arrives who has opened no other page before. Default `/`. */
  homeUrl?: string;
  /** The path at which the JSON routes are mounted. Passkeys and identity providers use them. Default `/api/auth`. */
  authPath?: string;
  /** Paths that differ from the default ones. */
  paths?: Partial<Paths>;
  /** The sign-in method that is offered first. Default: the password, else the code, else the link, as far as they are configured. */
  firstMethod?: FirstMethod;
  /** The names of the generic OAuth providers on their buttons, by their names in the configuration. Default: capitalized. */
  providerNames?: Readonly<Record<string, string>>;
  /** Languages to add, or to replace, by their language tag. */
  languages?: Readonly<Record<string, Texts>>;
  /** The language for browsers that ask for none of the languages. Default `en`. */
  defaultLanguage?: string;
  slots?: PageSlots;
  /**
   * How long ago a user may have signed in for changes of the account that a forgotten session must not make, in milliseconds, as the
   * option of `createProRouter`. Default 600000.
   */
  freshMs?: number;
}

export type FirstMethod = 'password' | 'code' | 'link';

export interface Settings {
  service: Service;
  name: string;
  logo: string | null;
  accent: string;
  homeUrl: string;
  authPath: string;
  paths: Paths;
  firstMethod: FirstMethod | null;
  providerNames: Readonly<Record<string, string>>;
  languages: Readonly<Record<string, Texts>>;
  defaultLanguage: string;
  slots: PageSlots;
  freshMs: number;
}

/** @throws ConfigError, InvalidRequestError as `createPages`. */
export function parseOptions(
  service: Service,
  options: PagesOptions,
  builtIn: Readonly<Record<string, Texts>>,
): Settings {
  const {
    name,
    logo,
    accent = '#3f4fd9',
    homeUrl = '/',
    authPath = '/api/auth',
    paths,
    firstMethod,
    providerNames = {},
    languages,
    defaultLanguage = 'en',
    slots = {},
    freshMs = usualFreshMs,
    ...others
  } = optional(options);
  const faults: ConfigFault[] = [];
  const check = (isRight: boolean, option: string, message: string) => {
    if (!isRight) faults.push({ path: `createPages(service, { ${option} })`, message });
  };
  check(typeof name === 'string' && name.trim() !== '', 'name', 'must be a string that is not empty');
  check(parseAccent(accent) !== null, 'accent', 'must be a color such as #1f6b4f');
  for (const [option, path] of Object.entries({ logo, homeUrl, authPath }))
    check(path === undefined || isPath(path), option, 'must be a path that starts with one /');
  check(
    firstMethod === undefined || ['password', 'code', 'link'].includes(firstMethod),
    'firstMethod',
    'must be password, code or link',
  );
  const all = { ...builtIn, ...languages };
  check(Object.hasOwn(all, defaultLanguage), 'defaultLanguage', 'must be one of the languages');
  for (const [page, path] of Object.entries(paths ?? {})) {
    check(Object.hasOwn(defaultPaths, page), `paths.${page}`, 'is not the name of a page');
    check(isPath(path) && !/[?#:*]/.test(path), `paths.${page}`, 'must be a path that starts with one /');
  }
  checkMilliseconds(freshMs, 'freshMs');
  refuseOthers(others, 'is not an option of the pages');
  if (faults.length > 0 || name === undefined) throw new ConfigError(faults);
  return {
    service,
    name,
    logo: logo ?? null,
    accent,
    homeUrl,
    authPath: authPath.replace(/\/$/, ''),
    paths: { ...defaultPaths, ...paths },
    firstMethod: firstMethod ?? null,
    providerNames,
    languages: all,
    defaultLanguage,
    slots,
    freshMs,
  };
}

/** Returns whether a value is a path of this site. A form may not lead to another site (`form-action` of the policy). */
export function isPath(value: unknown): value is string {
  return isTarget(value) && value.startsWith('/');
}
