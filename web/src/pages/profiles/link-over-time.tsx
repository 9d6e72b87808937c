import { Select, Stack } from '@mantine/core';

import type { DocumentTold } from '../../api/documents';
import { ns } from '../../lib/brand';
import { MOST_REPETITIONS } from '../../lib/run-options';
import { LinkPreview } from '../../link/preview';
import { usePreview } from '../../link/use-preview';
import { useAddress } from '../../ui/use-address';

const SPANS = [
  { value: '30', label: '30 s' },
  { value: '60', label: '1 min' },
  { value: '300', label: '5 min' },
  { value: '900', label: '15 min' },
  { value: '3600', label: '1 h' },
];
const USUAL = '60';

/** What a link does over time, for one of its random histories; which one stands in the address. */
export function LinkOverTime({ profile }: { readonly profile: DocumentTold }) {
  const { params, change } = useAddress();
  const span = SPANS.find(({ value }) => value === params.get('seconds'))?.value ?? USUAL;
  const repetition = Math.max(
    1,
    Math.min(MOST_REPETITIONS, Math.trunc(Number(params.get('repetition') ?? 1)) || 1),
  );
  const seconds = Number(span);
  const state = usePreview({ toml: profile.toml, seed: '1', repetition, seconds, name: profile.name });
  return (
    <Stack gap="xs">
      <Select
        label="How long"
        data={SPANS}
        value={span}
        allowDeselect={false}
        size="xs"
        w={110}
        onChange={(value) => change({ seconds: value === USUAL ? null : value }, 'push')}
      />
      <LinkPreview
        state={state}
        window={{ from: ns(0), to: ns(seconds * 1e9) }}
        repetition={repetition}
        onRepetition={(next) => change({ repetition: next === 1 ? null : String(next) }, 'replace')}
      />
    </Stack>
  );
}
