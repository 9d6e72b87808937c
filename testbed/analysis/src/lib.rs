//! From a capture to verdicts, episodes, metrics and diagram series.
