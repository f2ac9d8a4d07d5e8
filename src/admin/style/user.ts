/** The page of one user, and forms. */
export const user = `
@media (min-width: 48.0625rem) {
  .person > div:not(.buttons) {
    flex: 1 1 16rem;
    min-width: 0;
  }
}
[data-label='Roles'] .tags {
  min-width: 8rem;
}
.columns {
  display: grid;
  grid-template-columns: repeat(2, minmax(0, 1fr));
  align-items: start;
  gap: 1.25rem;
}
.columns > div {
  display: grid;
  gap: 1.25rem;
}
.card-head {
  display: flex;
  align-items: center;
  justify-content: space-between;
  gap: 1rem;
  min-height: 3rem;
  padding: 0.5rem 1.25rem;
  border-bottom: 1px solid var(--line);
}
.fact {
  display: grid;
  grid-template-columns: 9rem minmax(0, 1fr) auto;
  align-items: center;
  gap: 0.25rem 1rem;
  min-height: 2.75rem;
  padding: 0.375rem 1.25rem;
}
.fact + .fact,
.entries li + li {
  border-top: 1px solid var(--line);
}
.fact dt {
  color: var(--soft);
  font-size: 0.875rem;
}
.act:empty {
  display: none;
}
.card h3 {
  padding: 0.75rem 1.25rem 0.25rem;
  border-top: 1px solid var(--line);
}
.about {
  border: 1px solid var(--line);
  border-radius: var(--radius);
}
.entries li {
  display: flex;
  align-items: center;
  justify-content: space-between;
  gap: 1rem;
  padding: 0.5rem 1.25rem;
}
.title {
  font-weight: 550;
}
.details {
  color: var(--soft);
  font-size: 0.8125rem;
}
.none {
  padding: 0.875rem 1.25rem;
  color: var(--soft);
}
.none + .button {
  margin: 0 1.25rem 1.125rem;
}
h3 + .none {
  padding-top: 0;
}
.more {
  display: flex;
  gap: 1rem;
  padding: 0.625rem 1.25rem;
  border-top: 1px solid var(--line);
  font-size: 0.875rem;
}
.card > pre,
.current pre {
  overflow: auto;
  max-height: 24rem;
  padding: 0.875rem 1.25rem;
}

.form {
  display: grid;
  gap: 1rem;
  padding: 1.75rem;
}
.form form {
  display: grid;
  gap: 1.125rem;
}
.form .buttons {
  margin-top: 0.25rem;
}
.callout ul {
  display: grid;
  gap: 0.25rem;
}
.more-fields .field {
  margin-top: 0.5rem;
}

@media (max-width: 60rem) {
  .columns {
    grid-template-columns: minmax(0, 1fr);
  }
}
@media (max-width: 30rem) {
  .fact {
    grid-template-columns: minmax(0, 1fr) auto;
    padding: 0.5rem 1rem;
  }
  .fact dt {
    grid-column: 1 / -1;
  }
  .card-head,
  .entries li,
  .none,
  .card h3,
  .card > pre {
    padding-right: 1rem;
    padding-left: 1rem;
  }
  .form {
    padding: 1.25rem;
  }
  .form .buttons > * {
    flex: 1 1 auto;
  }
}
`;
