import { Box, Group, List, Menu, NumberInput, Stack, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconDownload, IconInfoCircle } from '@tabler/icons-react';
import { useEffect, useRef, useState, type PointerEvent } from 'react';

import type { Ns } from '../lib/brand';
import { px } from '../lib/brand';
import { MOST_REPETITIONS } from '../lib/run-options';
import { saveFile } from '../lib/save';
import { usePalette } from '../paint/use-palette';
import { SignButton } from '../ui/buttons';
import { Failure, Waiting } from '../ui/asked';
import { Notice } from '../ui/text';
import { kindsIn, PreviewLegend } from './legend';
import { paintPreview, previewPng, PREVIEW_HEIGHT, previewSvg, timeScale } from './preview-figure';
import { inTime, spellInWords, spellsIn, statusAt, waysInWords, type Preview } from './preview-model';
import { withSamplesInBrief } from './samples';
import type { PreviewState } from './use-preview';
import type { TimeWindow } from './window';

interface Props {
  readonly state: PreviewState;
  readonly window: TimeWindow;
  readonly repetition: number;
  readonly onRepetition: (repetition: number) => void;
}

/** The link over time, as the engine says: a drawing, and the same in words. */
export function LinkPreview(props: Props) {
  return (
    <Stack gap="xs">
      <PreviewFigure {...props} />
      <PreviewInWords state={props.state} window={props.window} />
    </Stack>
  );
}

/** The drawing, its legend, and which repetition it is of. */
export function PreviewFigure({ state, window, repetition, onRepetition }: Props) {
  const { preview, error, waiting, retry } = state;
  return (
    <Stack gap="xs" aria-busy={waiting}>
      {preview ? (
        <>
          <Drawing preview={preview} window={window} />
          <Group justify="space-between" gap="xs" align="flex-end">
            <PreviewLegend kinds={kindsIn(preview)} />
            <Group gap="xs" align="flex-end">
              <Repetition value={repetition} onChange={onRepetition} />
              <SaveMenu preview={preview} window={window} />
            </Group>
          </Group>
        </>
      ) : error !== null ? (
        <Failure title="The link cannot be previewed" error={error} onRetry={retry} />
      ) : (
        <Waiting what="the preview" rows={6} />
      )}
    </Stack>
  );
}

interface RepetitionProps {
  readonly value: number;
  readonly onChange: (repetition: number) => void;
}

/** Which repetition is drawn. What is no whole number is refused as it stands, not read as another one. */
function Repetition({ value, onChange }: RepetitionProps) {
  const [typed, setTyped] = useState<number | string>(value);
  const number = typeof typed === 'number' ? typed : Number.NaN;
  const good = Number.isInteger(number) && number >= 1 && number <= MOST_REPETITIONS;
  return (
    <NumberInput
      label="Repetition"
      size="xs"
      w={130}
      min={1}
      max={MOST_REPETITIONS}
      clampBehavior="none"
      value={typed}
      error={good ? undefined : 'A whole number, 1 to 100,000'}
      onChange={(next) => {
        setTyped(next);
        if (typeof next === 'number' && Number.isInteger(next) && next >= 1 && next <= MOST_REPETITIONS)
          onChange(next);
      }}
    />
  );
}

interface DrawingProps {
  readonly preview: Preview;
  readonly window: TimeWindow;
}

function Drawing({ preview, window }: DrawingProps) {
  const palette = usePalette();
  const { ref, width } = useElementSize();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [at, setAt] = useState<Ns | null>(null);
  const times = timeScale(window, width);
  useEffect(() => {
    if (canvas.current && width > 0)
      paintPreview(canvas.current, { preview, window, width, palette }, globalThis.devicePixelRatio);
  }, [preview, window, width, palette]);
  const point = (event: PointerEvent<HTMLElement>) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    setAt(x < times.r0 || x > times.r1 ? null : times.fromPx(px(x)));
  };
  const shown = at !== null && at >= window.from && at <= window.to ? at : null;
  return (
    <Box
      ref={ref}
      pos="relative"
      onPointerMove={point}
      onPointerDown={point}
      onPointerLeave={() => setAt(null)}
    >
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${preview.title}: rate and delay over time, in words below`}
        style={{ width: '100%', height: PREVIEW_HEIGHT, display: 'block' }}
      />
      {shown !== null && (
        <Box
          className="link-cursor"
          aria-hidden
          style={{ left: times.toPx(shown), height: PREVIEW_HEIGHT - 20 }}
        />
      )}
      <Text size="xs" c="dimmed" mih="2.9em" className="link-readout" aria-hidden>
        {shown === null
          ? 'Point at the figure to read its values.'
          : `${inTime(shown)} · down: ${statusAt(preview.down, shown)} · up: ${statusAt(preview.up, shown)}`}
      </Text>
    </Box>
  );
}

function SaveMenu({ preview, window }: DrawingProps) {
  const name = preview.title.replace(/[^\w+-]+/g, '-').replace(/^-|-$/g, '');
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <SignButton size="xs" sign={IconDownload}>
          Save figure
        </SignButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => saveFile(previewSvg(preview, window), `${name}.svg`)}>As SVG</Menu.Item>
        <Menu.Item
          onClick={() => {
            void previewPng(preview, window).then((blob) => {
              if (blob) saveFile(blob, `${name}.png`);
            });
          }}
        >
          As PNG
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** How many spells are told one by one. */
const MOST_SPELLS = 8;

/** All of it in words, with what has no place on a time axis. */
export function PreviewInWords({ state, window }: Pick<Props, 'state' | 'window'>) {
  const { preview, error, retry } = state;
  if (preview === null) return null;
  if (error !== null)
    return <Failure title="The link cannot be previewed as it is now" error={error} onRetry={retry} />;
  const spells = spellsIn(preview, window);
  return (
    <Stack gap={6}>
      <Text size="sm" fw={500}>
        In words, for repetition {preview.repetition} of seed {preview.seed}
      </Text>
      <List size="sm" spacing={2}>
        {preview.summary.map((line) => (
          <List.Item key={line}>{withSamplesInBrief(line)}</List.Item>
        ))}
        {spells.slice(0, MOST_SPELLS).map(({ spell, ways }) => (
          <List.Item key={`${spell.name} ${spell.from_ns} ${ways.join()}`}>
            {waysInWords(ways)}: {spellInWords(spell)}
          </List.Item>
        ))}
        {spells.length > MOST_SPELLS && (
          <List.Item>and {spells.length - MOST_SPELLS} more in the time shown</List.Item>
        )}
      </List>
      {preview.facts.length > 0 && (
        <Notice
          role="note"
          color="gray"
          sign={IconInfoCircle}
          title="Tied to packets, so not on the time axis"
        >
          <List size="sm" spacing={2} c="var(--mantine-color-text)">
            {preview.facts.map((fact) => (
              <List.Item key={`${fact.kind} ${fact.name} ${fact.directions.join()}`}>
                {waysInWords(fact.directions)}: {withSamplesInBrief(fact.text)}
              </List.Item>
            ))}
          </List>
        </Notice>
      )}
      {preview.capped && (
        <Text size="sm">
          This link changes so often that the preview ends at {inTime(preview.until_ns)}; runs continue.
        </Text>
      )}
    </Stack>
  );
}
