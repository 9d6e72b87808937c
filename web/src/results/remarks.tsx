import { remarksOn } from '../lib/remarks';
import { averageOf, cellsByLink, hasLive, testbedTitle, titleIn, type Results } from './model';

/** What must not be overlooked in the numbers, in words, a sentence for each link. */
export function Remarks({ results }: { readonly results: Results }) {
  const live = hasLive(results.testbeds);
  const which = averageOf(results);
  const said = cellsByLink(results).flatMap(({ link, cells }) => {
    const variants = new Map<string, string[]>();
    for (const { variant, testbed, metrics } of cells) {
      const title = titleIn(results.variants, variant);
      const name = live ? `${title} (${testbedTitle(testbed)})` : title;
      for (const remark of remarksOn((metric) => metrics[metric]?.[which])) {
        variants.set(remark, [...(variants.get(remark) ?? []), name]);
      }
    }
    return [...variants].map(([remark, names]) => ({ link, remark, names }));
  });
  if (said.length === 0) return null;
  return (
    <ul className="remarks" role="note">
      {said.map(({ link, remark, names }) => (
        <li key={`${link} ${remark}`}>
          {results.links.length > 1 && `${titleIn(results.links, link)}: `}
          <b>{names.join(', ')}</b>: {remark}
        </li>
      ))}
    </ul>
  );
}
