/** The search field and the filters of the list. */
import { html, type Html } from '../../html/html.js';
import { input, select } from '../../pages-kit/fields.js';
import type { Call } from '../page.js';
import type { AdminTexts } from '../texts/texts.js';
import { zoneName } from '../time-zone.js';
import { listPath, type FilterError, type FilterName, type Filters } from './filters.js';

const yesOrNo = (any: string, yes: string, no: string) =>
  [
    ['', any],
    ['yes', yes],
    ['no', no],
  ] as const;

const choicesIn = ({ filters }: AdminTexts) =>
  ({
    blocked: yesOrNo(filters.any, filters.blocked, filters.notBlocked),
    verified: yesOrNo(filters.any, filters.verified, filters.notVerified),
    guest: yesOrNo(filters.any, filters.guest, filters.notGuest),
    sort: [
      ['', filters.newest],
      ['oldest', filters.oldest],
    ],
  }) as const;

type Labels = Record<Exclude<FilterName, 'search' | 'within'>, Html | string>;

const labelsIn = ({ texts: { filters }, zone }: Call): Labels => ({
  blocked: filters.status,
  verified: filters.email,
  guest: filters.type,
  role: filters.role,
  from: html`${filters.from(zoneName(zone))}`,
  to: html`${filters.to(zoneName(zone))}`,
  sort: filters.order,
});

export function filterForm(call: Call, { values }: Filters, error: FilterError | undefined): Html {
  const { base, texts } = call;
  const { filters } = texts;
  const [labels, choices] = [labelsIn(call), choicesIn(texts)];
  const chosen = (name: 'blocked' | 'verified' | 'guest' | 'sort') =>
    select({ name, label: labels[name], value: values[name], choices: choices[name] });
  const isFiltered = Object.keys(values).some((name) => !isOfSearch(name));
  return html`<form method="get" action="${base}/users" role="search" class="filters">
    <div class="search">
      ${input({
        name: 'search',
        type: 'search',
        label: filters.search,
        isLabelHidden: true,
        placeholder: filters.searchHint,
        value: values.search,
        maxLength: 320,
      })}
      <button>${filters.submit}</button>
    </div>
    <label class="pick" title="${texts.operations.withinHint}"
      ><input type="checkbox" name="within" value="words" ${values.within === 'words' && html`checked`} />
      ${texts.operations.within}</label
    >
    <details ${(isFiltered || error !== undefined) && html`open`}>
      <summary>${filters.title}</summary>
      <div class="grid">
        ${chosen('blocked')} ${chosen('verified')} ${chosen('guest')}
        ${input({
          name: 'role',
          label: labels.role,
          value: values.role,
          error: error?.field === 'role' ? error.text : undefined,
          maxLength: 64,
        })}
        ${input({ name: 'from', type: 'date', label: labels.from, value: values.from })}
        ${input({ name: 'to', type: 'date', label: labels.to, value: values.to })} ${chosen('sort')}
        <div class="buttons"><button>${filters.apply}</button></div>
      </div>
    </details>
    ${applied(call, labels, values)}
  </form>`;
}

const isOfSearch = (name: string) => name === 'search' || name === 'within';

/** Each condition in force, as a link that removes it. */
function applied({ base, texts }: Call, labels: Labels, values: Filters['values']): Html | false {
  const { filters } = texts;
  const names = (Object.keys(values) as FilterName[]).filter((name) => !isOfSearch(name) && name !== 'sort');
  if (names.length === 0) return false;
  return html`<ul class="applied" aria-label="${filters.applied}">
    ${names.map((name) => {
      const path = listPath({ ...values, [name]: undefined });
      return html`<li>
        <a href="${base}${path}"
          ><span class="soft">${labels[name as 'role']}:</span> ${textOf(texts, name, values[name])}
          <span aria-hidden="true">×</span><span class="hidden"> (${filters.remove})</span></a
        >
      </li>`;
    })}
    <li><a class="clear" href="${base}/users">${filters.clearAll}</a></li>
  </ul>`;
}

function textOf(texts: AdminTexts, name: FilterName, value: string | undefined): string | undefined {
  const choices = choicesIn(texts);
  const known = name in choices ? choices[name as 'blocked'] : [];
  return known.find(([each]) => each === value)?.[1] ?? value;
}
