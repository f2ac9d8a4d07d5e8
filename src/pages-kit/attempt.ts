/** A form that was submitted, and its faults. */

/** The values that a form was submitted with, and what is wrong with them. */
export interface Attempt {
  values: URLSearchParams;
  /** By the name of the field. The empty name is the form itself. */
  errors: ReadonlyMap<string, string>;
}

/** A wrong value in a form. */
export class FieldError extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}
