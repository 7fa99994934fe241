"""Run one command; print its seconds, those of the processor, its peak memory in kB and its code.

A process of its own, and a small one: the system counts what started a process into its peak.
"""

import os
import sys
import time

start = time.perf_counter()
quiet = [(os.POSIX_SPAWN_OPEN, each, os.devnull, os.O_RDWR, 0) for each in range(3)]
process = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
_, status, usage = os.wait4(process, 0)
seconds = time.perf_counter() - start
work = usage.ru_utime + usage.ru_stime
print(seconds, work, usage.ru_maxrss, os.waitstatus_to_exitcode(status))
