/** The list of users: a table that becomes cards on a narrow screen. */
export const list = `
.card {
  border: 1px solid var(--line);
  border-radius: var(--radius);
  background: var(--card);
  box-shadow: var(--shadow);
}
.heading {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0.5rem 0.75rem;
  margin-bottom: 1.25rem;
}
.heading .buttons {
  margin-left: auto;
}
.count {
  color: var(--soft);
}
.avatar {
  display: grid;
  flex: none;
  place-items: center;
  width: 2.25rem;
  height: 2.25rem;
  border-radius: 50%;
  font-weight: 650;
}
.person .avatar {
  width: 3rem;
  height: 3rem;
  font-size: 1.25rem;
}
.person > div:nth-child(2) {
  min-width: 0;
}
.badges {
  margin-top: 0.125rem;
}
.hue-0 {
  background: var(--hue-0);
  color: var(--on-hue-0);
}
.hue-1 {
  background: var(--hue-1);
  color: var(--on-hue-1);
}
.hue-2 {
  background: var(--hue-2);
  color: var(--on-hue-2);
}
.hue-3 {
  background: var(--hue-3);
  color: var(--on-hue-3);
}
.hue-4 {
  background: var(--hue-4);
  color: var(--on-hue-4);
}
.hue-5 {
  background: var(--hue-5);
  color: var(--on-hue-5);
}

.filters {
  display: grid;
  gap: 0.625rem;
  margin-bottom: 1.25rem;
}
.search {
  display: grid;
  grid-template-columns: minmax(0, 1fr) auto;
  align-items: end;
  gap: 0.625rem;
  max-width: 40rem;
}
.filters .grid {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr));
  gap: 0.875rem;
  margin-top: 0.5rem;
  padding: 1rem;
  border: 1px solid var(--line);
  border-radius: var(--radius);
  background: var(--card);
}
.filters .grid .buttons {
  align-self: end;
}
.applied {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem;
}
.applied a {
  display: inline-flex;
  align-items: center;
  gap: 0.375rem;
  min-height: 2rem;
  padding: 0.125rem 0.75rem;
  border: 1px solid var(--line);
  border-radius: 1rem;
  background: var(--card);
  color: var(--text);
  font-size: 0.875rem;
  text-decoration: none;
}
.applied a:hover {
  border-color: var(--field);
}
.applied .clear {
  border-color: transparent;
  background: none;
  color: var(--accent);
  font-weight: 550;
}

.table-frame {
  overflow: hidden;
  border: 1px solid var(--line);
  border-radius: var(--radius);
  background: var(--card);
  box-shadow: var(--shadow);
}
table {
  width: 100%;
  border-collapse: collapse;
}
th {
  padding: 0.625rem 1rem;
  background: var(--sunk);
  color: var(--soft);
  font-size: 0.8125rem;
  font-weight: 600;
  text-align: left;
}
td {
  padding: 0.625rem 1rem;
  border-top: 1px solid var(--line);
  vertical-align: middle;
}
tbody tr:hover {
  background: var(--sunk);
}
.date {
  color: var(--soft);
  font-size: 0.875rem;
  font-variant-numeric: tabular-nums;
  white-space: nowrap;
}
.tags {
  display: flex;
  flex-wrap: wrap;
  gap: 0.25rem;
}
.who > div {
  display: flex;
  align-items: center;
  gap: 0.75rem;
}
.who a {
  color: var(--text);
  font-weight: 600;
  text-decoration: none;
}
.who a:hover {
  text-decoration: underline;
}
.second {
  display: block;
  color: var(--soft);
  font-size: 0.8125rem;
}
.pager {
  display: flex;
  justify-content: flex-end;
  gap: 0.625rem;
  margin-top: 1rem;
}
.empty {
  display: grid;
  justify-items: center;
  gap: 0.5rem;
  padding: 3.5rem 1.5rem;
  border: 1px dashed var(--field);
  border-radius: var(--radius);
  color: var(--soft);
  text-align: center;
}
.empty h2 {
  color: var(--text);
}
.empty .button {
  margin-top: 0.5rem;
}

@media (max-width: 48rem) {
  .cards thead {
    position: absolute;
    clip-path: inset(50%);
  }
  .cards,
  .cards tbody,
  .cards tr {
    display: block;
  }
  .cards tr + tr {
    border-top: 1px solid var(--line);
  }
  .cards tr {
    padding: 0.75rem 1rem;
  }
  .cards td {
    display: grid;
    grid-template-columns: 7rem minmax(0, 1fr);
    gap: 0.75rem;
    padding: 0.1875rem 0;
    border: 0;
  }
  .cards td.who {
    display: block;
    padding-bottom: 0.375rem;
  }
  .cards td.none-here {
    display: none;
  }
  .date {
    white-space: normal;
  }
  .cards td[data-label]::before {
    color: var(--soft);
    font-size: 0.875rem;
    content: attr(data-label);
  }
  .cards .who a {
    display: inline-block;
    padding: 0.25rem 0;
  }
  .heading .buttons {
    width: 100%;
    margin-left: 0;
  }
  .heading .button {
    flex: 1 1 auto;
  }
}
`;
