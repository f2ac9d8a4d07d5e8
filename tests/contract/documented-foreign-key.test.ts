// The foreign key to `svc_users` that docs/adapters.md shows, on PostgreSQL and SQLite.
import { describeDocumentedForeignKey } from '../support/documented-foreign-key.js';

describeDocumentedForeignKey('PostgreSQL');
describeDocumentedForeignKey('SQLite');
