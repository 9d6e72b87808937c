import type { Palette } from '../paint/palette';
import type { Surface } from '../paint/surface';
import { Coords } from '../paint/coords';
import { congestionIn } from '../series/words';
import type { RunIndex } from '../series/run-index';
import { Truth } from '../series/types';
import type { LegendEntry } from './export';
import { isPresent, LAYERS, PART_LABELS, type LayerId, type PartId } from './layers';
import { SWATCH_HEIGHT, SWATCH_WIDTH } from './swatch';

const coords = new Coords();

/** Draws the key of one layer into a box of the swatch's size: the same marks as in the plots of these runs. */
export function drawSwatch(
  surface: Surface,
  layer: LayerId,
  runs: readonly RunIndex[],
  palette: Palette,
  left: number,
  top: number,
): void {
  const x = left + SWATCH_WIDTH / 2;
  const y = top + SWATCH_HEIGHT / 2;
  const upright = (color: string, width: number, half = 6) => {
    coords.clear().push4(x, y - half, x, y + half);
    surface.lines(coords, { color, width });
  };
  const level = (color: string, dash?: readonly number[]) => {
    coords.clear().push4(left + 1, y, left + SWATCH_WIDTH - 1, y);
    surface.lines(coords, { color, width: 1.6, ...(dash ? { dash } : {}) });
  };
  const dot = (fill: string, stroke: string | null) => {
    coords.clear().push2(x, y);
    surface.circles(coords, 2.8, { color: fill }, stroke === null ? null : { color: stroke, width: 1.5 });
  };
  const cross = (at: number, ring: boolean) => {
    coords.clear().push4(at - 3, y - 3, at + 3, y + 3);
    coords.push4(at - 3, y + 3, at + 3, y - 3);
    surface.lines(coords, { color: palette.drop, width: 1.5 });
    coords.clear().push2(at, y);
    if (ring) surface.circles(coords, 5, null, { color: palette.drop, width: 1 });
  };
  const letter = (text: string, color: string, at: number) =>
    surface.text(at, y + 0.5, text, { color, size: 11.5, bold: true, align: 'middle' });
  switch (layer) {
    case 'segments':
      coords.clear().push4(x, y - 6, x, y + 6);
      for (const s of [-1, 1]) {
        coords.push4(x - 2.6, y + s * 3.4, x, y + s * 6);
        coords.push4(x + 2.6, y + s * 3.4, x, y + s * 6);
      }
      surface.lines(coords, { color: palette.segment, width: 1.3 });
      break;
    case 'necessary':
      upright(palette.necessary, 2);
      dot(palette.necessary, null);
      break;
    case 'unnecessary':
      upright(palette.unnecessary, 2);
      dot(palette.background, palette.unnecessary);
      break;
    case 'unknown':
      upright(palette.unknown, 2);
      dot(palette.unknown, null);
      break;
    case 'drops':
      cross(left + 4, false);
      cross(left + 15, true);
      break;
    case 'arrivals':
      coords.clear().push4(left + 2, y, left + SWATCH_WIDTH - 4, y);
      surface.lines(coords, { color: palette.arrival, width: 0.8, alpha: 0.7 });
      coords.clear().push4(left + SWATCH_WIDTH - 6, y, left + SWATCH_WIDTH - 2, y);
      surface.lines(coords, { color: palette.arrival, width: 2.4 });
      break;
    case 'acks':
      level(palette.ack);
      break;
    case 'window':
      level(palette.window);
      break;
    case 'sacks':
      coords.clear().push4(x - 4, y - 6, x - 4, y + 6);
      surface.lines(coords, { color: palette.sack, width: 1.4 });
      coords.clear().push4(x + 4, y - 5, x + 4, y + 5);
      coords.push4(x + 1.5, y - 5, x + 6.5, y - 5);
      coords.push4(x + 1.5, y + 5, x + 6.5, y + 5);
      surface.lines(coords, { color: palette.dsack, width: 1.6 });
      break;
    case 'timeouts':
      timeoutColors(runs, palette).forEach((color, i, { length }) => {
        letter('R', color, left + (SWATCH_WIDTH * (i + 0.5)) / length);
      });
      break;
    case 'fast':
      letter('F', truthsIn(runs, 'fast_retransmits').known ? palette.necessary : palette.unknown, x);
      break;
  }
}

/** What a legend's entry says of these runs. */
export function legendLabel(layer: LayerId, runs: readonly RunIndex[]): string {
  switch (layer) {
    case 'timeouts':
      return timeoutLabel(runs);
    case 'sacks':
      return runs.some(({ series }) => series.sacks.dsack.includes(1)) ? 'SACK, D-SACK' : 'SACK';
    case 'drops':
      return dropLabel(runs);
    default:
      return PART_LABELS[layer];
  }
}

/** Whether some verdicts on these events are known, and whether some are not, as of a capture of one end. */
function truthsIn(runs: readonly RunIndex[], table: 'timeouts' | 'fast_retransmits') {
  const verdicts = runs.flatMap(({ series }) => [...series[table].verdict]);
  return {
    known: verdicts.some((truth) => truth !== Truth.Unknown),
    unknown: verdicts.includes(Truth.Unknown),
  };
}

function timeoutLabel(runs: readonly RunIndex[]): string {
  const { known, unknown } = truthsIn(runs, 'timeouts');
  if (!unknown) return 'timeout: spurious, genuine';
  return known ? 'timeout: spurious, genuine, unknown' : 'timeout, verdict unknown';
}

function timeoutColors(runs: readonly RunIndex[], palette: Palette): readonly string[] {
  const { known, unknown } = truthsIn(runs, 'timeouts');
  return [...(known ? [palette.unnecessary, palette.necessary] : []), ...(unknown ? [palette.unknown] : [])];
}

function dropLabel(runs: readonly RunIndex[]): string {
  let congestion = false;
  let link = false;
  for (const { series, dropped } of runs) {
    const ofCongestion = congestionIn(series.names.drop);
    for (const row of dropped.rows) {
      if (ofCongestion.has(series.data.drop[row])) congestion = true;
      else link = true;
    }
  }
  if (congestion && link) return 'lost: link, queue';
  return congestion ? 'lost: queue' : 'lost on the link';
}

/** The layers that a legend for these runs lists. */
export function legendLayers(runs: readonly RunIndex[]): LayerId[] {
  return LAYERS.filter((layer) => isPresent(layer, runs));
}

/** The legend of a figure: of what it shows. */
export function figureLegend(runs: readonly RunIndex[], shows: (part: PartId) => boolean): LegendEntry[] {
  return legendLayers(runs)
    .filter((layer) => shows(layer))
    .map((layer) => ({
      label: legendLabel(layer, runs),
      swatch: (surface, palette, left, top) => drawSwatch(surface, layer, runs, palette, left, top),
    }));
}
