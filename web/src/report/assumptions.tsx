import type { Report } from '../series/report';

/** What the paper does not give and what was chosen, and what each variant is. */
export function Assumptions({ report }: { readonly report: Report }) {
  const { assumptions, variants } = report.experiment;
  return (
    <section id="assumptions">
      <h2>Set-up and assumptions</h2>
      {assumptions.length > 0 && (
        <>
          <p>What the paper does not give, and what was chosen:</p>
          <ol className="assumptions">
            {assumptions.map((line, i) => (
              <li key={i}>{line}</li>
            ))}
          </ol>
        </>
      )}
      <dl className="facts variants">
        {variants.map((variant) => (
          <div key={variant.name}>
            <dt>
              <code>{variant.name}</code>
            </dt>
            <dd>
              {variant.title}
              {variant.summary.length > 0 && <span className="criterion">{variant.summary.join('; ')}</span>}
              {variant.not_carried.length > 0 && (
                <ul
                  className="not-carried"
                  aria-label="Settings of the experiment that the kernel does not have"
                >
                  {variant.not_carried.map((line, i) => (
                    <li key={i}>not carried over: {line}</li>
                  ))}
                </ul>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
