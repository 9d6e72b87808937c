import type { ReactNode } from 'react';

import type { Schema } from '../../api/client';
import { Failure } from '../../ui/failure';
import { Waiting } from '../../ui/waiting';

type Analysis = Schema<'ConnectionAnalysisTold'>;

interface Props {
  readonly number: number;
  /** The question for its analysis, as it stands. */
  readonly asked: {
    readonly data: Analysis | undefined;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  readonly children: (told: Analysis) => ReactNode;
}

/** The analysis of a connection once it is there; until then that it is awaited, or why it will not come. */
export function AskedConnection({ number, asked, children }: Props) {
  if (asked.error) {
    return (
      <Failure
        title="The connection could not be analysed"
        error={asked.error}
        onRetry={() => void asked.refetch()}
      />
    );
  }
  if (!asked.data) return <Waiting what={`connection ${number}`} rows={12} />;
  return children(asked.data);
}
