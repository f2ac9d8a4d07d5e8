/** Receives warnings for the operator about the database, in the argument order of the logger. */
export type StorageWarning = (fields: object, message: string) => void;
