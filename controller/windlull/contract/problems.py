"""What is wrong with files, or with what was asked for, in words."""

from windlull.contract.engine import Problem


def line(problem: Problem) -> str:
    """Return it in a line: `links/gprs.toml:12: impairment[0].evry: unknown key; did you mean "every"?`."""
    place = ":".join(str(part) for part in (problem.file, problem.line) if part is not None)
    return ": ".join(part for part in (place, problem.key, problem.message) if part)
