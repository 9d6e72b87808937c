import { useState } from 'react';

import { plural } from '../lib/format';
import type { Report, Settings } from '../series/report';
import { GroupRow, Table } from '../results/table';
import { variantTitle } from './values';

/** Every setting of the kernel that the live runs read back, by variant; what differs between variants stands out. */
export function KernelSettings({ report }: { readonly report: Report }) {
  const [all, setAll] = useState(false);
  const { settings } = report;
  const names = [...new Set(settings.flatMap((one) => Object.keys(one.values)))].sort();
  if (names.length === 0) return null;
  const differing = names.filter((name) => differs(settings, name));
  const shown = all ? names : differing;
  const rooms = [...new Set(shown.map(roomOf))];
  return (
    <section id="settings">
      <h2>Kernel settings</h2>
      <p className="options">
        <label>
          <input type="checkbox" checked={all} onChange={(event) => setAll(event.target.checked)} /> show all{' '}
          {names.length} settings, not only the {differing.length} that differ between variants
        </label>
      </p>
      <Table
        className="settings"
        label="Kernel settings"
        caption={
          <>
            <b>Settings</b> as each run read them back from its own kernel
            {shown.length === 0
              ? '; no two variants differ.'
              : '. Values that differ from most variants are marked. A dash: this host has no such setting, because its TCP is ours.'}
          </>
        }
        columns={[
          { name: 'Setting' },
          ...settings.map((one) => ({
            name: variantTitle(report, one.variant),
            title: `${one.variant}, ${plural(one.runs, 'run')} on ${one.testbed}`,
          })),
        ]}
      >
        {rooms.map((room) => (
          <tbody key={room}>
            <GroupRow columns={1 + settings.length}>{room}</GroupRow>
            {shown
              .filter((name) => roomOf(name) === room)
              .map((name) => {
                const usual = usualValue(settings, name);
                return (
                  <tr key={name}>
                    <th scope="row">
                      <code>{name.slice(room.length + 1)}</code>
                    </th>
                    {settings.map((one) => (
                      <Value key={`${one.testbed}:${one.variant}`} of={one} name={name} usual={usual} />
                    ))}
                  </tr>
                );
              })}
          </tbody>
        ))}
      </Table>
    </section>
  );
}

interface ValueProps {
  readonly of: Settings;
  readonly name: string;
  readonly usual: string;
}

function Value({ of, name, usual }: ValueProps) {
  const values = of.values[name];
  if (!values) return <td className="none">–</td>;
  const text = values.join(' / ');
  return (
    <td
      data-differs={text !== usual}
      title={values.length > 1 ? `${text}: changed from run to run, a value of the kernel’s own` : text}
    >
      {text === '' ? '“”' : text}
    </td>
  );
}

/** The host or the part of the system that a setting is of: what its name begins with. */
function roomOf(name: string): string {
  const at = name.indexOf('.');
  return at < 0 ? name : name.slice(0, at);
}

function differs(settings: readonly Settings[], name: string): boolean {
  return new Set(settings.flatMap((one) => one.values[name]?.join(' / ') ?? [])).size > 1;
}

/** The value that most variants have; of two that as many have, the first. */
function usualValue(settings: readonly Settings[], name: string): string {
  const counts = new Map<string, number>();
  for (const one of settings) {
    const values = one.values[name];
    if (values) counts.set(values.join(' / '), (counts.get(values.join(' / ')) ?? 0) + 1);
  }
  let usual = '';
  for (const [value, count] of counts) if (count > (counts.get(usual) ?? 0)) usual = value;
  return usual;
}
