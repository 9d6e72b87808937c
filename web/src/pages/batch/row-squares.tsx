import { Text } from '@mantine/core';
import { useState, type KeyboardEvent, type MouseEvent } from 'react';
import { useNavigate } from 'react-router';

import type { Schema } from '../../api/client';
import { to } from '../../ui/links';
import { countsInWords, type StateCounts } from '../../ui/states';
import { inWords, type Row } from './rows';
import { cornerOf, heightOf, lieOf, pathsOf, squareAt } from './squares';

interface Props {
  readonly row: Row;
  readonly name: string;
  /** Link and testbed, where they tell rows apart. */
  readonly detail: string;
  /** Room in CSS pixels; 0 until it is known. */
  readonly width: number;
  /** A run is pointed at, by mouse or keys. */
  readonly onPoint: (run: Schema<'RunLine'> | null) => void;
}

/** The repetitions of one variant. Keys move along them as along a slider; Enter opens the run. */
export function RowSquares({ row, name, detail, width, onPoint }: Props) {
  const navigate = useNavigate();
  const [cursor, setCursor] = useState<number | null>(null);
  const { runs } = row;
  const lie = lieOf(runs.length, width);
  const point = (i: number | null) => {
    setCursor(i);
    onPoint(i === null ? null : (runs.at(i) ?? null));
  };
  const at = ({ currentTarget, clientX, clientY }: MouseEvent) => {
    const box = currentTarget.getBoundingClientRect();
    return squareAt(clientX - box.left, clientY - box.top, runs.length, lie);
  };
  const open = (i: number | null) => {
    const run = i === null ? undefined : runs.at(i);
    if (run) void navigate(to.run(run.id));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const here = cursor ?? -1;
    const last = runs.length - 1;
    const goal: Partial<Record<string, number>> = {
      ArrowRight: here + 1,
      ArrowLeft: here - 1,
      ArrowUp: here - lie.columns,
      ArrowDown: here + lie.columns,
      Home: 0,
      End: last,
    };
    const next = goal[event.key];
    if (next !== undefined) {
      event.preventDefault();
      point(Math.min(last, Math.max(0, next)));
    } else if (event.key === 'Enter') open(cursor);
  };
  const current = cursor === null ? undefined : runs.at(cursor);
  const corner = cursor === null ? null : cornerOf(cursor, lie);
  return (
    <div>
      <Text size="sm" mb={4}>
        <b>{name}</b>
        {detail !== '' && <> · {detail}</>}{' '}
        <Text size="xs" c="dimmed" span>
          {countsInWords(countsOf(row), runs.length)}
        </Text>
      </Text>
      {width > 0 && (
        <svg
          className="run-squares"
          width={width}
          height={heightOf(runs.length, lie)}
          tabIndex={0}
          role="slider"
          aria-label={`Repetitions of ${[name, detail].filter((part) => part !== '').join(', ')}`}
          aria-valuemin={1}
          aria-valuemax={runs.length}
          aria-valuenow={(cursor ?? 0) + 1}
          aria-valuetext={
            current ? `${inWords(current)}. Enter opens it.` : countsInWords(countsOf(row), runs.length)
          }
          onMouseMove={(event) => {
            const i = at(event);
            if (i !== cursor) point(i);
          }}
          onMouseLeave={() => point(null)}
          onBlur={() => point(null)}
          onClick={(event) => open(at(event))}
          onKeyDown={onKeyDown}
        >
          {pathsOf(
            runs.map(({ state }) => state),
            lie,
          ).map(([state, d]) => (
            <path key={state} data-state={state} fillRule="evenodd" d={d} />
          ))}
          {corner && <rect className="cursor" x={corner.x} y={corner.y} width={lie.side} height={lie.side} />}
        </svg>
      )}
    </div>
  );
}

function countsOf({ runs }: Row): StateCounts {
  const counts: Partial<Record<Schema<'RunLine'>['state'], number>> = {};
  for (const { state } of runs) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
