/** What `svc-auth export` and `svc-auth import` read. */
import { configOn } from './config-on.js';

const { DATABASE_URL = '', ENCRYPTION_KEY = '' } = process.env;

export default configOn(DATABASE_URL, ENCRYPTION_KEY);
