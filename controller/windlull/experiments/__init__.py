"""Experiments as programs have them: loaded, changed, run, compared, swept, read. `import windlull` offers these."""
