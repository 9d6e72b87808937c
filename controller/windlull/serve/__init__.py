"""`windlull serve`: the web processes and the scheduler, started, watched and ended as one."""
