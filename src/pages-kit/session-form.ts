/** The name of the field that contains the form token. */
export const tokenField = 'form_token';
