/** A new API key, of a user or of an organization: its name, permissions and expiration. It is shown once, in the response. */
import { html } from '../../../html/html.js';
import { internals } from '../../../core/internals.js';
import { checkBox, input, select } from '../../../pages-kit/fields.js';
import { attempted } from '../../form.js';
import { changeBody } from '../change.js';
import {
  at,
  defineAccountPage,
  filled,
  type AccountPage,
  type AccountView,
  type AccountVisit,
  type ParentPage,
} from '../page.js';
import { FieldError } from '../../../pages-kit/attempt.js';

interface NewKeyPage extends Pick<AccountPage, 'section' | 'path' | 'isOffered'> {
  ownerOf: (visit: AccountVisit) => { userId: string } | { orgId: string };
  parent: (visit: AccountVisit) => ParentPage | Promise<ParentPage>;
}

const dayMs = 24 * 60 * 60_000;
/** In days. */
const lifetimes = [30, 60, 90, 365];

export function newKeyPage({ ownerOf, parent, ...page }: NewKeyPage): AccountPage {
  return defineAccountPage({
    ...page,
    access: 'recent',
    async show(visit, attempt) {
      const { offers, words } = visit;
      const { tokens } = words;
      const above = await parent(visit);
      const scopes = offers.apiKeys!.grantableScopes;
      const expiry = [
        ...lifetimes.map((days) => [String(days), tokens.days(days)] as const),
        ['', tokens.noExpiry] as const,
      ];
      const body = changeBody(visit, {
        form: {
          action: at(visit, filled(page.path, visit.param)),
          fields: [
            input({
              ...attempted(attempt, 'name'),
              label: tokens.name,
              hint: tokens.nameHint,
              maxLength: 100,
            }),
            scopes.length > 0 &&
              html`<fieldset>
                <legend>${tokens.scopes}</legend>
                ${scopes.map((scope) =>
                  checkBox({
                    name: `scope:${scope}`,
                    label: scope,
                    isChecked: attempt?.values.has(`scope:${scope}`) ?? false,
                  }),
                )}
              </fieldset>`,
            select({
              name: 'days',
              label: tokens.expiry,
              value: attempt?.values.get('days') ?? '90',
              error: attempt?.errors.get('days'),
              choices: expiry,
            }),
          ],
          submit: tokens.create,
          cancel: at(visit, above.path),
        },
      });
      return { title: tokens.createTitle, parent: above, body };
    },
    forms: {
      '': {
        access: 'recent',
        async submit(values, visit) {
          const { actor, offers, service, texts } = visit;
          const choice = values.get('days') ?? 'missing';
          // Anything else than the choices must not become a key without an end.
          if (choice !== '' && !lifetimes.includes(Number(choice)))
            throw new FieldError('days', texts.errors.invalid);
          const expiresAt =
            choice === '' ? undefined : new Date(service[internals].clock() + Number(choice) * dayMs);
          const scopes = offers.apiKeys!.grantableScopes.filter((scope) => values.has(`scope:${scope}`));
          const name = values.get('name') ?? '';
          const input = { ...ownerOf(visit), name, scopes, ...(expiresAt && { expiresAt }) };
          const { key } = await offers.apiKeys!.create(input, actor);
          return createdView(visit, key, await parent(visit));
        },
      },
    },
  });
}

function createdView(visit: AccountVisit, key: string, parent: ParentPage): AccountView {
  const body = visit.templates.accountNewKey(visit, { key, donePath: at(visit, parent.path) });
  return { title: visit.words.tokens.createdTitle, parent, body };
}
