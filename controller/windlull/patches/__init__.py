"""Whether a kernel does better or worse than another: suites of scenarios, runs on both, verdicts, bisection."""
