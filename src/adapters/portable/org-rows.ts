/** The row of `svc_orgs`, also in joins. */
import { orgs } from './records.js';
import { columnsOf, readerOf } from './tables.js';

/** The columns of `svc_orgs o`. */
export const orgColumns = columnsOf(orgs, 'o');

export const toOrg = readerOf(orgs, 'o');
