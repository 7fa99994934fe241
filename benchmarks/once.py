"""Run one command, and print its seconds, its peak of memory in kB and its exit code.

A process of its own, and a small one: the system counts what started a process into its peak.
"""

import os
import sys
import time

start = time.perf_counter()
quiet = [(os.POSIX_SPAWN_OPEN, each, os.devnull, os.O_RDWR, 0) for each in range(3)]
process = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
_, status, usage = os.wait4(process, 0)
print(time.perf_counter() - start, usage.ru_maxrss, os.waitstatus_to_exitcode(status))
