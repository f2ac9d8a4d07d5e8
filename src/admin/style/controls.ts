/** Buttons and fields. */
export const controls = `
button,
.button {
  display: inline-flex;
  align-items: center;
  justify-content: center;
  min-height: 2.5rem;
  padding: 0.375rem 0.875rem;
  border: 1px solid var(--field);
  border-radius: 0.5rem;
  background: var(--card);
  color: var(--text);
  font: inherit;
  font-weight: 550;
  text-align: center;
  text-decoration: none;
  cursor: pointer;
}
button:hover,
.button:hover {
  background: var(--sunk);
}
.primary {
  border-color: var(--accent);
  background: var(--accent);
  color: var(--on-accent);
}
.primary:hover {
  border-color: var(--accent-hover);
  background: var(--accent-hover);
}
button.danger {
  border-color: var(--bad);
  background: var(--bad);
  color: var(--on-bad);
}
button.danger:hover {
  border-color: var(--bad-hover);
  background: var(--bad-hover);
}
.button.danger-outline {
  border-color: var(--bad);
  color: var(--bad);
}
.button.danger-outline:hover {
  background: var(--bad-soft);
}
.buttons {
  display: flex;
  flex-wrap: wrap;
  gap: 0.625rem;
}
.quiet {
  display: inline-block;
  flex: none;
  white-space: nowrap;
  padding: 0.125rem 0.25rem;
  font-size: 0.875rem;
  font-weight: 550;
  text-decoration: none;
}
.quiet:hover {
  text-decoration: underline;
}

.field {
  display: grid;
  gap: 0.3125rem;
}
label {
  font-size: 0.875rem;
  font-weight: 600;
}
label .soft {
  font-weight: 400;
}
.hint {
  color: var(--soft);
  font-size: 0.8125rem;
}
.error {
  color: var(--bad);
  font-size: 0.875rem;
  font-weight: 550;
}
input:not([type='checkbox']),
select,
textarea {
  width: 100%;
  min-height: 2.5rem;
  padding: 0.4375rem 0.6875rem;
  border: 1px solid var(--field);
  border-radius: 0.5rem;
  background: var(--card);
  color: inherit;
  font: inherit;
}
select {
  padding-right: 0.375rem;
}
::placeholder {
  color: var(--soft);
  opacity: 1;
}
textarea {
  line-height: 1.5;
  resize: vertical;
}
textarea.code {
  font-family: var(--mono);
  font-size: 0.8125rem;
}
.invalid input,
.invalid select,
.invalid textarea {
  border-color: var(--bad);
  box-shadow: 0 0 0 1px var(--bad);
}
.check {
  grid-template-columns: auto 1fr;
  align-items: center;
  column-gap: 0.625rem;
}
.check input {
  width: 1.25rem;
  height: 1.25rem;
  margin: 0;
  accent-color: var(--accent);
}
.check label {
  display: flex;
  align-items: center;
  min-height: 2.25rem;
}
.check .hint {
  grid-column: 2;
}
summary {
  width: fit-content;
  padding: 0.25rem 0;
  color: var(--soft);
  font-size: 0.875rem;
  font-weight: 550;
  cursor: pointer;
}
summary:hover {
  color: var(--text);
}

@media (max-width: 40rem), (pointer: coarse) {
  button,
  .button,
  summary,
  input:not([type='checkbox']),
  select {
    min-height: 2.75rem;
    font-size: 1rem;
  }
  summary {
    padding: 0.625rem 0;
  }
  textarea {
    font-size: 1rem;
  }
  .check input {
    width: 2.75rem;
    height: 2.75rem;
  }
  .quiet {
    padding: 0.625rem 0.5rem;
    font-size: 0.9375rem;
  }
}
`;
