import { useState, type ComponentProps } from 'react';

import { FILE_COLORS } from '../figures/box-colors';
import { BoxPlot } from '../figures/box-plot';
import { saveElementPng, saveElementSvg } from '../figures/save-element';

/** CSS pixels that a saved figure is wide, whatever window it is saved from. */
const WIDTH = 900;

interface Props {
  readonly figures: readonly {
    readonly name: string;
    readonly plot: Pick<ComponentProps<typeof BoxPlot>, 'rows' | 'title' | 'say' | 'domain'>;
  }[];
  readonly file: string;
  readonly provenance: string;
}

/** Saves the plots, a file each. */
export function SaveFigures({ figures, file, provenance }: Props) {
  const [problem, setProblem] = useState<string | null>(null);
  const save = (write: typeof saveElementPng | typeof saveElementSvg) => async () => {
    setProblem(null);
    try {
      for (const { name, plot } of figures) {
        const drawn = <BoxPlot {...plot} width={WIDTH} axisTitle colors={FILE_COLORS} />;
        await write(drawn, { name: `${file}-${name}`, provenance });
      }
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      {[['SVG', saveElementSvg] as const, ['PNG', saveElementPng] as const].map(([as, write]) => (
        <button
          key={as}
          type="button"
          className="choice"
          aria-label={`Save the box plots as ${as}`}
          onClick={() => void save(write)()}
        >
          ↓ {as}
        </button>
      ))}
      {problem !== null && (
        <span className="error" role="alert">
          The figure could not be saved: {problem}
        </span>
      )}
    </>
  );
}
