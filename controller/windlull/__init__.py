"""Windlull: a link emulator and a TCP recovery laboratory.

This package is the command `windlull`. It calls the engine (a Rust binary), sums up what the runs measured, judges the
claims of an experiment, and writes results and reports. It computes no protocol result: those come from the engine.
"""

__version__ = "0.1.0"
