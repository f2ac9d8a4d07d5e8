/** The options of the pages. */
import type { Service } from '../engine/service.js';
import { OptionFaults } from '../core/support/options.js';
import { usualFreshMs } from '../core/sessions/sessions.js';
import type { Html } from '../html/html.js';
import { isLocale } from '../domain/language.js';
import { isPhoneCountry } from '../domain/phone-number.js';
import { internals } from '../core/internals.js';
import { textFaults } from '../core/support/text-faults.js';
import { checkedSlots } from './checked-slots.js';
import { checkedTemplates } from './checked-templates.js';
import { CountryNames } from './countries.js';
import { configuredOf, type Configured } from './configured.js';
import { createPageLanguages, type PageLanguages } from './language.js';
import { defaultPaths, isPath, type Paths } from './paths.js';
import { passwordEstimator } from './password-estimator.js';
import { checkProviders, createLooks, type LookOf, type ProviderOptions } from './provider-looks.js';
import { builtInPages } from './texts/built-in.js';
import { en } from './texts/en.js';
import type { Texts } from './texts/texts.js';
import type { Templates } from './templates.js';
import { parseSignUpFields, type SignUpField, type SignUpFieldOptions } from './sign-up/field-options.js';
import { brandOf, checkTheme, themeOptionNames, type PageBrand, type ThemeOptions } from './theme-options.js';
import { warnOfContrast } from './theme-contrast.js';
import type { PageSlots } from './views.js';

/** A captcha of the application, for a challenge with an object as `signUp.challenge.provider`. */
export interface PagesCaptcha {
  /** Returns the widget, with its script: `html`<script src="https://…" async defer></script><div …></div>``. @param challenge what `create` returned. */
  render: (challenge: Readonly<Record<string, unknown>>) => Html;
  /** The name of the field in which the widget puts its solution. */
  field: string;
  /** The origins from which the widget loads scripts, frames and styles. The policy of its page allows them; no other page does. */
  origins: readonly string[];
}

export interface PagesOptions extends ThemeOptions {
  /** The path at which a user arrives who has opened no other page before. Default `/`. */
  homeUrl?: string;
  /** The path at which the JSON routes are mounted. Passkeys and identity providers use them. Default `/api/auth`. */
  authPath?: string;
  /**
   * The path at which the application mounts the pages: `/auth` for `app.use('/auth', createPages(…))`. Mailed links and identity
   * providers lead there. Default `/`: the pages are mounted at the root.
   */
  basePath?: string;
  /** Paths that differ from the default ones. */
  paths?: Partial<Paths>;
  /** The sign-in method that is offered first. Default: the password, else the code, else the link, as far as they are configured. */
  firstMethod?: FirstMethod;
  /**
   * The names and icons of identity providers, by their names in the configuration. Default: those of the brand, if it is well known, such
   * as `github`; else the capitalized name, and its first letter as the icon.
   */
  providers?: Readonly<Record<string, ProviderOptions>>;
  /**
   * Languages to add, or to replace, by their language tag. The pages have the languages of the service (`languages.offered`), as far as
   * they are built in, and these.
   */
  languages?: Readonly<Record<string, Texts>>;
  /** The language for browsers that ask for none of the languages. Default: that of the service, else `en`. */
  defaultLanguage?: string;
  /** The country that forms for phone numbers begin with (ISO 3166-1, such as `DE`). Default: that of the browser's language. */
  defaultCountry?: string;
  slots?: PageSlots;
  /**
   * How the fields of `signUp.fields` look, by their names. What is absent comes from the schema, if it exports JSON Schema, as that of zod
   * does.
   */
  signUpFields?: Readonly<Record<string, SignUpFieldOptions>>;
  /** Templates of the application in place of those of the package. `npx svc-auth pages eject` writes them into a project. */
  templates?: Partial<Templates>;
  /** Whether the sign-in asks if the browser keeps the session when it closes. Default false: it keeps it. */
  rememberMe?: boolean;
  /**
   * Whether users without a passkey are offered one after a sign-in with a password, a code or a link. They can skip it: this browser then
   * asks them again after 90 days. Default false.
   */
  offerPasskey?: boolean;
  /**
   * Whether a browser can create a passkey by itself, after a sign-in with a password that it has filled in, if the user has none
   * (`mediation: 'conditional'`). Default false.
   */
  automaticPasskeys?: boolean;
  captcha?: PagesCaptcha;
  /**
   * How long ago a user may have signed in for changes of the account that a forgotten session must not make, in milliseconds, as the
   * option of `createProRouter`. Default 600000.
   */
  freshMs?: number;
}

export type FirstMethod = 'password' | 'code' | 'link';

export interface Settings extends PageBrand {
  service: Service;
  /** What the pages show. Read at every request, because a license can expire. */
  configured: () => Configured;
  /** Where users find help, as a link. */
  supportUrl: string | null;
  homeUrl: string;
  authPath: string;
  /** Without a slash at the end; empty at the root. */
  basePath: string;
  paths: Paths;
  firstMethod: FirstMethod | null;
  lookOf: LookOf;
  languages: PageLanguages;
  countryNames: CountryNames;
  /** ISO 3166-1. */
  defaultCountry: string | null;
  slots: PageSlots;
  signUpFields: readonly SignUpField[];
  templates: Templates;
  rememberMe: boolean;
  offerPasskey: boolean;
  automaticPasskeys: boolean;
  captcha: PagesCaptcha | null;
  freshMs: number;
  /** Below the path of the pages. Null without the optional packages. */
  estimatorPath: string | null;
}

/** @throws ConfigError as `createPages`. */
export function parseOptions(service: Service, options: PagesOptions, builtInTemplates: Templates): Settings {
  const faults = new OptionFaults('createPages');
  const {
    homeUrl = '/',
    authPath = '/api/auth',
    basePath = '/',
    paths,
    firstMethod,
    providers = {},
    languages: own = {},
    defaultLanguage,
    defaultCountry,
    slots = {},
    signUpFields,
    templates = {},
    rememberMe = false,
    offerPasskey = false,
    automaticPasskeys = false,
    captcha,
    freshMs = usualFreshMs,
    ...others
  } = faults.of(options);
  const check = faults.check.bind(faults);
  checkTheme(others, faults);
  check(isPath(homeUrl), 'homeUrl', 'must be a path that starts with one /');
  for (const [option, path] of Object.entries({ authPath, basePath }))
    check(isMountPath(path), option, 'must be a path as browsers send it, such as /auth');
  check(
    firstMethod === undefined || ['password', 'code', 'link'].includes(firstMethod),
    'firstMethod',
    'must be password, code or link',
  );
  for (const [language, texts] of faults.entries(own, 'languages')) {
    check(isLocale(language), `languages.${language}`, 'must have a language tag as its name, such as pt-BR');
    for (const { path, message } of textFaults(texts, en))
      check(false, ['languages', language, ...path].join('.'), message);
  }
  const { brand, languages } = service[internals];
  const { offered, default: usual } = languages;
  const spoken = [...offered.filter((each) => builtInPages.has(each)), ...Object.keys(own ?? {})];
  const fallback = spoken.includes(usual) ? usual : 'en';
  const all = [...new Set([...spoken, ...(spoken.includes(fallback) ? [] : [fallback])])];
  check(
    defaultLanguage === undefined || all.includes(defaultLanguage),
    'defaultLanguage',
    `must be one of ${all.join(', ')}`,
  );
  check(
    defaultCountry === undefined || (typeof defaultCountry === 'string' && isPhoneCountry(defaultCountry)),
    'defaultCountry',
    'must be a country in two letters of ISO 3166-1, such as DE',
  );
  for (const [name, template] of faults.entries(templates, 'templates')) {
    faults.named(name, Object.keys(builtInTemplates), 'templates.');
    check(typeof template === 'function', `templates.${name}`, 'must be a function');
  }
  for (const [name, slot] of faults.entries(slots, 'slots')) {
    faults.named(name, ['signInAside', 'signUp', 'footer'], 'slots.');
    check(typeof slot === 'function', `slots.${name}`, 'must be a function');
  }
  const shownFields = parseSignUpFields(
    faults,
    service[internals].signUpFields,
    signUpFields,
    typeof slots?.signUp === 'function',
  );
  checkProviders(faults, providers);
  for (const [option, value] of Object.entries({ rememberMe, offerPasskey, automaticPasskeys }))
    check(typeof value === 'boolean', option, 'must be a boolean');
  check(captcha === undefined || isCaptcha(captcha), 'captcha', captchaForm);
  for (const [page, path] of faults.entries(paths, 'paths')) {
    faults.named(page, Object.keys(defaultPaths), 'paths.');
    check(isPath(path) && !/[?#:*]/.test(path), `paths.${page}`, 'must be a path that starts with one /');
  }
  faults.milliseconds(freshMs, 'freshMs');
  faults.unknown(others, optionNames);
  faults.throwIfAny();
  const lookOf = createLooks(providers);
  const look = brandOf(others, brand);
  warnOfContrast(others, look.colors, look.colorScheme, service[internals].logger);
  return {
    service,
    configured: configuredOf(service, lookOf),
    ...look,
    supportUrl: brand.supportUrl,
    homeUrl,
    authPath: authPath.replace(/\/$/, ''),
    basePath: basePath.replace(/\/$/, ''),
    paths: { ...defaultPaths, ...paths },
    firstMethod: firstMethod ?? null,
    lookOf,
    languages: createPageLanguages(all, defaultLanguage ?? fallback, own),
    countryNames: new CountryNames(),
    defaultCountry: defaultCountry ?? null,
    slots: checkedSlots(slots),
    signUpFields: shownFields,
    templates: { ...builtInTemplates, ...checkedTemplates(templates) },
    rememberMe,
    offerPasskey,
    automaticPasskeys,
    captcha: captcha ?? null,
    freshMs,
    estimatorPath: passwordEstimator()?.path ?? null,
  };
}

const optionNames: readonly (keyof PagesOptions)[] = [
  ...themeOptionNames,
  'homeUrl',
  'authPath',
  'basePath',
  'paths',
  'firstMethod',
  'providers',
  'languages',
  'defaultLanguage',
  'defaultCountry',
  'slots',
  'signUpFields',
  'templates',
  'rememberMe',
  'offerPasskey',
  'automaticPasskeys',
  'captcha',
  'freshMs',
];

const captchaForm =
  'must have a function render, the name of a field, and origins such as https://challenges.example.com, and nothing else';

/** The origins become part of a header. */
function isCaptcha(captcha: PagesCaptcha | null): boolean {
  if (typeof captcha !== 'object' || captcha === null) return false;
  const { render, field, origins, ...others } = captcha;
  return (
    Object.keys(others).length === 0 &&
    typeof render === 'function' &&
    typeof field === 'string' &&
    field !== '' &&
    Array.isArray(origins) &&
    origins.every((origin: string) => URL.canParse(origin) && new URL(origin).origin === origin)
  );
}

/** Returns whether routes can be mounted at a path and reached by it: without parameters, a query, a fragment, and dots that browsers resolve. */
function isMountPath(path: unknown): boolean {
  if (!isPath(path) || /[?#:*{}]|\/\//.test(path)) return false;
  return new URL(path, 'http://localhost').pathname === path;
}
