/** The types of the packages are in `load-databases.ts`. */
export declare function loadKnex(): unknown;
export declare function loadSqliteClient(): unknown;
export declare function loadPgliteClient(): unknown;
export declare function loadMysql(): unknown;
