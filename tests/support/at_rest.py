"""When another process is at rest, as the kernel sees it: tests wait for that, or for an effect, and never for a time."""

import pathlib
import re
import time

PATIENCE = 1800  # seconds until a test gives up on what would hang for ever; no expectation


def until(condition, what, alive=lambda: True):
    """Waits for an effect."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if not alive():
            raise AssertionError(f"it ended before {what}")
        if time.monotonic() > end:
            raise AssertionError(f"waited in vain for {what}")
        time.sleep(0.005)


def threads_of(pid):
    """(state, context switches) of every thread."""
    seen = {}
    for task in pathlib.Path("/proc", str(pid), "task").iterdir():
        about = (task / "status").read_text()
        state = re.search(r"(?m)^State:\s*(\w)", about)[1]
        seen[task.name] = (state, re.findall(r"ctxt_switches:\s*(\d+)", about))
    return seen


def at_rest(pid):
    """Is all that the process was given done? Every thread sleeps, and none ran between two looks: so at one instant all of them
    slept, and what is left to wake them comes from outside or from a clock."""
    try:
        before = threads_of(pid)
        return all(state == "S" for state, _ in before.values()) and threads_of(pid) == before
    except FileNotFoundError:  # a thread ended meanwhile
        return False
